// Checks a chain of receipts: go run verify.go CHAIN.json [--rpc URL]. Standard library alone; laid out by hand, to be short.
package main
import ("bytes"; "crypto/ed25519"; "crypto/sha256"; "encoding/base64"; "encoding/json"; "fmt"; "math/big"; "net/http"; "os"; "regexp"; "strings"; "time")
type object = map[string]any
const alphabet, verifier = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", "Ed25519SigVerify111111111111111111111111111"
const key, hash, base58 = `"[1-9A-HJ-NP-Za-km-z]{32,44}"`, `"[0-9a-f]{64}"`, `"[1-9A-HJ-NP-Za-km-z]{1,88}"`
var landedForm = `"landed":(null|{"slot":"[0-9]{1,20}","transaction":` + base58 + `}),`
// The canonical JSON of a receipt: members in the order of their names, and nothing else.
var form = regexp.MustCompile(`^{"at":"[-0-9T:]{19}Z","condition":"(as described|noted|not said)","document":` + hash + `,"formation":[0-9]{1,5},"from":` + key + `,"hash":(null|` +
	hash + `),` + landedForm + `"legIndex":[0-6],"listing":` + key + `,"previous":(null|` + hash + `),"program":` + key + `,"said":"(picked up|taken over|received|accepted)",` +
	`"signed":(null|{"signature":` + base58 + `,"signer":` + key + `,"text":"[^"]*"}),"to":` + key + `,"v":"legwork.receipt/1"}$`)
var place int
func need(holds bool, why string) { if !holds { fmt.Fprintf(os.Stderr, "receipt %d: %s\n", place+1, why); os.Exit(1) } }
func pick(first bool, one, other string) string { if first { return one }; return other }
func text(of any, name string) string { value, _ := of.(object)[name].(string); return value }
func b58(value string) []byte {
	number := new(big.Int)
	for _, one := range value { number.Add(number.Mul(number, big.NewInt(58)), big.NewInt(int64(strings.IndexRune(alphabet, one)))) }
	return append(make([]byte, len(value)-len(strings.TrimLeft(value, "1"))), number.Bytes()...)
}
func check(r, before object, hashBefore any) (hash string) {
	canonical, _ := json.Marshal(r)
	said, isNoted, signed := text(r, "said"), r["condition"] == "noted", r["signed"]
	isForm := form.Match(canonical) && (r["hash"] != nil) == (isNoted != (said == "accepted"))
	for _, name := range []string{"program", "listing", "from", "to"} { isForm = isForm && len(b58(text(r, name))) == 32 }
	need(isForm, "it has not the form of a receipt")
	need((signed == nil) == (r["condition"] == "not said"), "nobody signed what it says of the condition")
	if signed != nil {
		signer, told := pick(said == "picked up", text(r, "from"), text(r, "to")), pick(said == "accepted", "result ", "noted ") + text(r, "hash")
		mine := fmt.Sprintf("Legwork handoff 1\n%v\nleg %v, formation %v\n%v\n%v\n%v\n", r["listing"], r["legIndex"].(float64)+1, r["formation"], said, pick(r["hash"] == nil, "as described", told), r["at"])
		need(text(signed, "signer") == signer, signer+" should have signed it")
		need(regexp.MustCompile("^"+mine+"[0-9a-f]{16}$").MatchString(text(signed, "text")), "its text says something else")
		need(ed25519.Verify(b58(signer), []byte(text(signed, "text")), b58(text(signed, "signature"))), "its signature is not of this text and key")
	}
	hash = fmt.Sprintf("%x", sha256.Sum256(regexp.MustCompile(landedForm).ReplaceAll(canonical, nil)))
	if before == nil { need(r["previous"] == nil, "it is not the first one of its chain"); return }
	need(r["previous"] == hashBefore, "it does not follow the one before")
	isSame := r["program"] == before["program"] && r["listing"] == before["listing"] && r["document"] == before["document"]
	if former := before["signed"]; former != nil && signed != nil { isSame = isSame && strings.HasSuffix(text(former, "text"), text(signed, "text")[len(text(signed, "text"))-16:]) }
	need(isSame, "it is of another listing")
	need(said == "accepted" || r["from"] == before["to"], text(r, "from")+" did not have it")
	need(said == "accepted" || before["said"] != "received", "it follows the end")
	need(r["legIndex"].(float64) >= before["legIndex"].(float64), "it is of an earlier leg")
	return
}
func checkLedger(r object, rpc string) {
	how, at := object{"encoding": "base64", "commitment": "confirmed", "maxSupportedTransactionVersion": 1}, text(r["landed"], "transaction")
	call, _ := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "method": "getTransaction", "params": []any{at, how}})
	var shown struct { Result *struct { BlockTime int64; Meta struct { Err any }; Transaction []string } }
	if answer, err := http.Post(rpc, "application/json", bytes.NewReader(call)); err == nil { json.NewDecoder(answer.Body).Decode(&shown) }
	need(shown.Result != nil && shown.Result.Meta.Err == nil, "the ledger does not show that transaction "+at+" succeeded")
	wire, _ := base64.StdEncoding.DecodeString(shown.Result.Transaction[0])
	isIt, holds := true, [][]byte{b58(at), b58(text(r, "program")), b58(text(r, "listing")), b58(text(r, "to")), b58(pick(r["said"] == "picked up", "", text(r, "from")))}
	if r["signed"] != nil { holds = append(holds, []byte(text(r["signed"], "text")), b58(text(r["signed"], "signature"))) } else {
		isIt = !bytes.Contains(wire, b58(verifier)) && text(r, "at") == time.Unix(shown.Result.BlockTime, 0).UTC().Format(time.RFC3339)
	}
	for _, one := range holds { isIt = isIt && bytes.Contains(wire, one) }
	need(isIt, "transaction "+at+" is not this handoff")
}
func main() {
	file, err := os.ReadFile(os.Args[1])
	var chain []object
	if err != nil || json.Unmarshal(file, &chain) != nil { panic("this is no chain of receipts") }
	need(len(chain) > 0, "there is none")
	var before object
	var hash string
	isRpc := len(os.Args) > 3 && os.Args[2] == "--rpc"
	for at, r := range chain { place = at; hash = check(r, before, hash); before = r }
	for at, r := range chain { if place = at; isRpc && r["landed"] != nil { checkLedger(r, os.Args[3]) } }
	noted := "nothing is noted"
	fmt.Println(text(chain[0], "from"), "had it at first")
	for at := len(chain) - 1; at >= 0; at-- { if r := chain[at]; r["condition"] == "noted" {
		noted = fmt.Sprintf("%v was the first to note something, %v, of what %v had", r["to"], r["hash"], r["from"])
	} }
	for _, r := range chain {
		proof := pick(r["signed"] != nil, "signed", "") + pick(isRpc && r["landed"] != nil, pick(r["signed"] != nil, " and ", "")+"on the ledger", "")
		fmt.Printf("%v had it from %v: %v, %v, %v\n", r["to"], r["at"], r["said"], r["condition"], pick(proof == "", "not proven", proof))
	}
	isEnd := before["said"] == "received" || before["said"] == "accepted"
	fmt.Printf("%s\n%v has it now, %s\n", noted, before["to"], pick(isEnd, "where it was to go", "under way"))
}
