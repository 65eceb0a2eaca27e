// Checks a chain of receipts: go run verify.go CHAIN.json [--rpc URL]. It needs the standard library alone.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log"
	"math/big"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"
)

// A null in a receipt is empty here.
type receipt struct {
	At, Condition, Document, From, Hash, Listing, Previous, Program, Said, To string

	Formation, LegIndex int
	Signed              struct{ Signer, Signature, Text string }
	Landed              struct{ Transaction string }
}

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
const verifier = "Ed25519SigVerify111111111111111111111111111"

var short = strings.NewReplacer("HASH", `"[0-9a-f]{64}"`, "KEY", `"[`+alphabet+`]{32,44}"`, "SIGNATURE", `"[`+alphabet+`]{1,88}"`)
var landed = regexp.MustCompile(short.Replace(`"landed":(null|{"slot":"[0-9]{1,20}","transaction":SIGNATURE}),`))
var nonce = regexp.MustCompile("^[0-9a-f]{16}$")

// The canonical JSON of a receipt: its members in the order of their names, and nothing else.
var form = regexp.MustCompile(short.Replace(`^{"at":"[-0-9T:]{19}Z","condition":"(as described|noted|not said)","document":HASH,` +
	`"formation":[0-9]{1,5},"from":KEY,"hash":(null|HASH),` + landed.String() + `"legIndex":[0-6],"listing":KEY,"previous":(null|HASH),` +
	`"program":KEY,"said":"(picked up|taken over|received|accepted)","signed":(null|{"signature":SIGNATURE,"signer":KEY,"text":"[^"]*"}),` +
	`"to":KEY,"v":"legwork.receipt/1"}$`))

func base58(text string) []byte {
	number := new(big.Int)
	for _, digit := range text {
		number.Add(number.Mul(number, big.NewInt(58)), big.NewInt(int64(strings.IndexRune(alphabet, digit))))
	}
	return append(make([]byte, len(text)-len(strings.TrimLeft(text, "1"))), number.Bytes()...)
}

func isAddress(text string) bool { return len(base58(text)) == 32 }

func need(holds bool, place int, why string) {
	if !holds {
		log.Fatalf("receipt %d: %s", place+1, why)
	}
}

// A receipt by itself, whose text its signer signed to the letter.
func check(place int, canonical []byte, r receipt) {
	isForm := form.Match(canonical) && isAddress(r.Program) && isAddress(r.Listing) && isAddress(r.From) && isAddress(r.To)
	need(isForm && (r.Hash != "") == ((r.Said == "accepted") != (r.Condition == "noted")), place, "it has not the form of a receipt")
	need((r.Signed.Text == "") == (r.Condition == "not said"), place, "nobody signed what it says of the condition")
	if r.Condition == "not said" {
		return
	}
	signer, told := r.To, r.Condition
	switch r.Said {
	case "picked up":
		signer = r.From
	case "accepted":
		told = "result"
	}
	text := fmt.Sprintf("Legwork handoff 1\n%s\nleg %d, formation %d\n%s\n%s\n%s\n",
		r.Listing, r.LegIndex+1, r.Formation, r.Said, strings.TrimSpace(told+" "+r.Hash), r.At)
	end, isText := strings.CutPrefix(r.Signed.Text, text)
	need(r.Signed.Signer == signer, place, signer+" should have signed it")
	need(isText && nonce.MatchString(end), place, "its text says something else")
	isIts := ed25519.Verify(base58(signer), []byte(r.Signed.Text), base58(r.Signed.Signature))
	need(isIts, place, "its signature is not of this text and key")
}

// A receipt behind the one before, whose hash is given: of the same listing, and nobody gives what it did not have.
func checkAfter(place int, r, before receipt, hash string) {
	need(r.Previous == hash, place, "it does not follow the one before")
	mine, former := r.Signed.Text, before.Signed.Text
	isSame := mine == "" || former == "" || mine[len(mine)-16:] == former[len(former)-16:]
	isSame = isSame && r.Program == before.Program && r.Listing == before.Listing && r.Document == before.Document
	need(isSame, place, "it is of another listing")
	need(r.Said == "accepted" || r.From == before.To, place, r.From+" did not have it")
	need(r.Said == "accepted" || before.Said != "received", place, "it follows the end")
	need(r.LegIndex >= before.LegIndex, place, "it is of an earlier leg")
}

// The transaction that a receipt names succeeded, and has all parts of this handoff.
func checkLedger(place int, r receipt, rpc string) {
	how := map[string]any{"encoding": "base64", "commitment": "confirmed", "maxSupportedTransactionVersion": 1}
	params := []any{r.Landed.Transaction, how}
	call, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "getTransaction", "params": params})
	var shown struct {
		Result *struct {
			BlockTime   int64
			Meta        struct{ Err any }
			Transaction [1][]byte
		}
	}
	if answer, err := http.Post(rpc, "application/json", bytes.NewReader(call)); err == nil {
		json.NewDecoder(answer.Body).Decode(&shown)
	}
	hasSucceeded := shown.Result != nil && shown.Result.Meta.Err == nil
	need(hasSucceeded, place, "the ledger does not show that transaction "+r.Landed.Transaction+" succeeded")
	wire := shown.Result.Transaction[0]
	parts := []string{r.Landed.Transaction, r.Program, r.Listing, r.To, r.Signed.Signature}
	if r.Said != "picked up" {
		parts = append(parts, r.From)
	}
	isIt := bytes.Contains(wire, []byte(r.Signed.Text))
	for _, part := range parts {
		isIt = isIt && bytes.Contains(wire, base58(part))
	}
	if r.Condition == "not said" {
		at := time.Unix(shown.Result.BlockTime, 0).UTC().Format(time.RFC3339)
		isIt = isIt && at == r.At && !bytes.Contains(wire, base58(verifier))
	}
	need(isIt, place, "transaction "+r.Landed.Transaction+" is not this handoff")
}

func main() {
	log.SetFlags(0)
	file, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var receipts []any
	json.Unmarshal(file, &receipts)
	need(len(receipts) > 0, 0, "there is none")
	chain, hash := make([]receipt, len(receipts)), ""
	for place, one := range receipts {
		canonical, _ := json.Marshal(one)
		json.Unmarshal(canonical, &chain[place])
		check(place, canonical, chain[place])
		if place == 0 {
			need(chain[0].Previous == "", 0, "it is not the first one of its chain")
		} else {
			checkAfter(place, chain[place], chain[place-1], hash)
		}
		hash = fmt.Sprintf("%x", sha256.Sum256(landed.ReplaceAll(canonical, nil)))
	}
	isAsked := len(os.Args) > 3 && os.Args[2] == "--rpc"
	for place, r := range chain {
		if isAsked && r.Landed.Transaction != "" {
			checkLedger(place, r, os.Args[3])
		}
	}
	for _, r := range chain {
		fmt.Printf("%s gave it to %s at %s: %s, %s", r.From, r.To, r.At, r.Said, strings.TrimSpace(r.Condition+" "+r.Hash))
		if isAsked && r.Landed.Transaction != "" {
			fmt.Print(", on the ledger")
		}
		fmt.Println()
	}
}
