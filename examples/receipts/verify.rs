// Checks a chain of receipts: cargo run -- CHAIN.json [--rpc URL]. Laid out by hand, to be short.
use base64::{engine::general_purpose::STANDARD, Engine};
use ed25519_dalek::{Signature, Verifier, VerifyingKey};
use serde_json::{json, Value};
use sha2::{Digest, Sha256};

const KEY: &str = r#""[1-9A-HJ-NP-Za-km-z]{32,44}""#;
const HASH: &str = r#""[0-9a-f]{64}""#;
const LANDED: &str = r#""landed":(null|\{"slot":"[0-9]{1,20}","transaction":"[1-9A-HJ-NP-Za-km-z]{1,88}"\}),"#;
const VERIFIER: &str = "Ed25519SigVerify111111111111111111111111111";

fn need(holds: bool, place: usize, why: &str) { if !holds { eprintln!("receipt {}: {why}", place + 1); std::process::exit(1) } }
fn b58(text: &Value) -> Vec<u8> { bs58::decode(text.as_str().unwrap_or("")).into_vec().unwrap_or_default() }
fn text<'a>(of: &'a Value, name: &str) -> &'a str { of[name].as_str().unwrap_or("") }
fn matches(pattern: &str, text: &str) -> bool { regex::Regex::new(&format!("^(?:{pattern})$")).is_ok_and(|one| one.is_match(text)) }
/// The canonical JSON of a receipt: members in the order of their names, and nothing else.
fn has_form(r: &Value) -> bool {
    let form = [r#"\{"at":"[-0-9T:]{19}Z","condition":"(as described|noted|not said)","document":HASH,"formation":[0-9]{1,5},"from":KEY,"hash":(null|HASH),"#, LANDED,
        r#""legIndex":[0-6],"listing":KEY,"previous":(null|HASH),"program":KEY,"said":"(picked up|taken over|received|accepted)","#,
        r#""signed":(null|\{"signature":"[1-9A-HJ-NP-Za-km-z]{1,88}","signer":KEY,"text":"[^"]*"\}),"to":KEY,"v":"legwork.receipt/1"\}"#].concat();
    let has_hash = (r["said"] == "accepted") != (r["condition"] == "noted");
    matches(&form.replace("HASH", HASH).replace("KEY", KEY), &r.to_string()) && r["hash"].is_null() != has_hash
        && ["program", "listing", "from", "to"].iter().all(|name| b58(&r[*name]).len() == 32)
}
fn is_signed(signed: &Value) -> Option<bool> {
    let key = VerifyingKey::from_bytes(&b58(&signed["signer"]).try_into().ok()?).ok()?;
    Some(key.verify(text(signed, "text").as_bytes(), &Signature::from_slice(&b58(&signed["signature"])).ok()?).is_ok())
}
fn check(place: usize, r: &Value, before: Option<&Value>) {
    need(has_form(r), place, "it has not the form of a receipt");
    let (said, signed, hash) = (text(r, "said"), &r["signed"], text(r, "hash"));
    let giver = text(r, "from");
    need(signed.is_null() == (r["condition"] == "not said"), place, "nobody signed what it says of the condition");
    if !signed.is_null() {
        let signer = if said == "picked up" { giver } else { text(r, "to") };
        let told = if hash.is_empty() { "as described".into() } else { format!("{} {hash}", if said == "accepted" { "result" } else { "noted" }) };
        let leg = r["legIndex"].as_u64().unwrap_or(0) + 1;
        let mine = format!("Legwork handoff 1\n{}\nleg {leg}, formation {}\n{said}\n{told}\n{}\n", text(r, "listing"), r["formation"], text(r, "at"));
        need(signed["signer"] == signer, place, &format!("{signer} should have signed it"));
        need(matches(&(mine + "[0-9a-f]{16}"), text(signed, "text")), place, "its text says something else");
        need(is_signed(signed) == Some(true), place, "its signature is not of this text and key");
    }
    let Some(before) = before else { return need(r["previous"].is_null(), place, "it is not the first one of its chain") };
    let whole = regex::Regex::new(LANDED).unwrap().replace(&before.to_string(), "").into_owned();
    let hash_before: String = Sha256::digest(whole).iter().map(|byte| format!("{byte:02x}")).collect();
    need(r["previous"] == hash_before, place, "it does not follow the one before");
    let nonce = |of: &Value| of["signed"]["text"].as_str().and_then(|text| text.get(text.len() - 16..)).map(str::to_owned);
    let is_other = nonce(r).zip(nonce(before)).is_some_and(|(one, other)| one != other);
    need(!is_other && ["program", "listing", "document"].iter().all(|name| r[*name] == before[*name]), place, "it is of another listing");
    need(said == "accepted" || r["from"] == before["to"], place, &format!("{giver} did not have it"));
    need(said == "accepted" || before["said"] != "received", place, "it follows the end");
    need(r["legIndex"].as_u64() >= before["legIndex"].as_u64(), place, "it is of an earlier leg");
}
fn check_ledger(place: usize, r: &Value, rpc: &str) {
    let (at, signed) = (text(&r["landed"], "transaction"), &r["signed"]);
    let how = json!({"encoding": "base64", "commitment": "confirmed", "maxSupportedTransactionVersion": 1});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "getTransaction", "params": [at, how]});
    let answer: Value = ureq::post(rpc).send_json(call).expect("the ledger answers").body_mut().read_json().expect("JSON");
    let shown = &answer["result"];
    need(shown.is_object() && shown["meta"]["err"].is_null(), place, &format!("the ledger does not show that transaction {at} succeeded"));
    let wire = STANDARD.decode(shown["transaction"][0].as_str().unwrap_or("")).unwrap_or_default();
    let holds = |one: &[u8]| wire.windows(one.len().max(1)).any(|part| part == one);
    let proof = [b58(&signed["signer"]), b58(&signed["signature"]), text(signed, "text").as_bytes().to_vec()].concat();
    let time = shown["blockTime"].as_i64().and_then(|second| jiff::Timestamp::from_second(second).ok()).map(|time| time.to_string());
    let is_plain = !holds(&b58(&json!(VERIFIER))) && time.as_deref() == r["at"].as_str();
    let names = ["program", "listing", "to"].iter().all(|name| holds(&b58(&r[*name]))) && (r["said"] == "picked up" || holds(&b58(&r["from"])));
    let is_it = if signed.is_null() { is_plain } else { holds(&proof) };
    need(is_it && names && holds(&b58(&r["landed"]["transaction"])), place, &format!("transaction {at} is not this handoff"));
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let chain: Vec<Value> = serde_json::from_slice(&std::fs::read(&args[1]).expect("a file")).expect("a chain of receipts");
    let rpc = args.get(3).filter(|_| args[2] == "--rpc");
    need(!chain.is_empty(), 0, "there is none");
    for (place, r) in chain.iter().enumerate() { check(place, r, place.checked_sub(1).map(|one| &chain[one])) }
    let has_landed = |r: &Value| rpc.is_some() && !r["landed"].is_null();
    for (place, r) in chain.iter().enumerate().filter(|(_, r)| has_landed(r)) { check_ledger(place, r, rpc.unwrap()) }
    println!("{} had it at first", text(&chain[0], "from"));
    for r in &chain {
        let proof = match (!r["signed"].is_null(), has_landed(r)) { (true, true) => "signed and on the ledger", (true, _) => "signed", (_, true) => "on the ledger", _ => "not proven" };
        println!("{} had it from {}: {}, {}, {proof}", text(r, "to"), text(r, "at"), text(r, "said"), text(r, "condition"));
    }
    let noted = chain.iter().find(|r| r["condition"] == "noted");
    let told = noted.map(|r| format!("{} was the first to note something, {}, of what {} had", text(r, "to"), text(r, "hash"), text(r, "from")));
    let last = &chain[chain.len() - 1];
    let end = if ["received", "accepted"].contains(&text(last, "said")) { "where it was to go" } else { "under way" };
    println!("{}\n{} has it now, {end}", told.as_deref().unwrap_or("nothing is noted"), text(last, "to"));
}
