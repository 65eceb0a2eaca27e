//! Checks a chain of receipts: cargo run -- CHAIN.json [--rpc URL]

use base64::{engine::general_purpose::STANDARD, Engine};
use ed25519_dalek::{Signature, Verifier, VerifyingKey};
use regex::Regex;
use serde_json::{json, Value};
use sha2::{Digest, Sha256};

/// The canonical JSON of a receipt: its members in the order of their names, and nothing else.
const FORM: &str = r#"\{"at":"[-0-9T:]{19}Z","condition":"(as described|noted|not said)","document":HASH,"formation":[0-9]{1,5},
"from":KEY,"hash":(null|HASH),"landed":(null|\{"slot":"[0-9]{1,20}","transaction":SIGNATURE\}),"legIndex":[0-6],"listing":KEY,
"previous":(null|HASH),"program":KEY,"said":"(picked up|taken over|received|accepted)",
"signed":(null|\{"signature":SIGNATURE,"signer":KEY,"text":"[^"]*"\}),"to":KEY,"v":"legwork.receipt/1"\}"#;
const SHORT: [(&str, &str); 4] = [
    ("\n", ""),
    ("HASH", r#""[0-9a-f]{64}""#),
    ("KEY", r#""[1-9A-HJ-NP-Za-km-z]{32,44}""#),
    ("SIGNATURE", r#""[1-9A-HJ-NP-Za-km-z]{1,88}""#),
];
const VERIFIER: &str = "Ed25519SigVerify111111111111111111111111111";

fn need(holds: bool, why: &str) -> Result<(), String> {
    if holds {
        Ok(())
    } else {
        Err(why.into())
    }
}

fn text<'a>(of: &'a Value, name: &str) -> &'a str {
    of[name].as_str().unwrap_or("")
}

fn base58(text: &str) -> Vec<u8> {
    bs58::decode(text).into_vec().unwrap_or_default()
}

fn matches(pattern: &str, text: &str) -> bool {
    Regex::new(&format!("^(?:{pattern})$")).is_ok_and(|one| one.is_match(text))
}

fn has_form(r: &Value) -> bool {
    let form = SHORT.iter().fold(FORM.to_owned(), |form, (short, long)| form.replace(short, long));
    let has_hash = (r["said"] == "accepted") != (r["condition"] == "noted");
    let are_keys = ["program", "listing", "from", "to"].iter().all(|name| base58(text(r, name)).len() == 32);
    matches(&form, &r.to_string()) && are_keys && r["hash"].is_null() != has_hash
}

fn is_signed(signed: &Value) -> Option<bool> {
    let key = VerifyingKey::from_bytes(&base58(text(signed, "signer")).try_into().ok()?).ok()?;
    let signature = Signature::from_slice(&base58(text(signed, "signature"))).ok()?;
    Some(key.verify(text(signed, "text").as_bytes(), &signature).is_ok())
}

/// A receipt by itself, whose text its signer signed to the letter.
fn check(r: &Value) -> Result<(), String> {
    need(has_form(r), "it has not the form of a receipt")?;
    let (said, signed, leg) = (text(r, "said"), &r["signed"], r["legIndex"].as_u64().unwrap_or(0) + 1);
    need(signed.is_null() == (r["condition"] == "not said"), "nobody signed what it says of the condition")?;
    if signed.is_null() {
        return Ok(());
    }
    let signer = text(r, if said == "picked up" { "from" } else { "to" });
    let condition = if said == "accepted" { "result" } else { text(r, "condition") };
    let told = format!("{condition} {}", text(r, "hash"));
    let place = format!("{}\nleg {leg}, formation {}", text(r, "listing"), r["formation"]);
    let told = format!("Legwork handoff 1\n{place}\n{said}\n{}\n{}\n", told.trim(), text(r, "at"));
    need(signed["signer"] == signer, &format!("{signer} should have signed it"))?;
    need(matches(&(told + "[0-9a-f]{16}"), text(signed, "text")), "its text says something else")?;
    need(is_signed(signed) == Some(true), "its signature is not of this text and key")
}

/// A receipt behind the one before: of the same listing, and nobody gives what it did not have.
fn check_after(r: &Value, before: &Value) -> Result<(), String> {
    let mut bare = before.clone();
    bare.as_object_mut().and_then(|members| members.remove("landed"));
    need(
        text(r, "previous") == format!("{:x}", Sha256::digest(bare.to_string())),
        "it does not follow the one before",
    )?;
    let nonce = |of: &Value| of["signed"]["text"].as_str().and_then(|text| text.lines().last()).map(str::to_owned);
    let is_other = nonce(r).zip(nonce(before)).is_some_and(|(one, other)| one != other);
    let is_same = ["program", "listing", "document"].iter().all(|name| r[*name] == before[*name]);
    need(is_same && !is_other, "it is of another listing")?;
    let is_result = r["said"] == "accepted";
    need(is_result || r["from"] == before["to"], &format!("{} did not have it", text(r, "from")))?;
    need(is_result || before["said"] != "received", "it follows the end")?;
    need(r["legIndex"].as_u64() >= before["legIndex"].as_u64(), "it is of an earlier leg")
}

/// The transaction that a receipt names succeeded, and has all parts of this handoff.
fn check_ledger(r: &Value, rpc: &str) -> Result<(), String> {
    let (at, signed) = (text(&r["landed"], "transaction"), &r["signed"]);
    let how = json!({"encoding": "base64", "commitment": "confirmed", "maxSupportedTransactionVersion": 1});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "getTransaction", "params": [at, how]});
    let mut answer = ureq::post(rpc).send_json(call).map_err(|error| error.to_string())?;
    let shown = answer.body_mut().read_json::<Value>().map_err(|error| error.to_string())?["result"].take();
    let has_succeeded = shown.is_object() && shown["meta"]["err"].is_null();
    need(has_succeeded, &format!("the ledger does not show that transaction {at} succeeded"))?;
    let wire = STANDARD.decode(shown["transaction"][0].as_str().unwrap_or("")).unwrap_or_default();
    let holds = |part: &[u8]| part.is_empty() || wire.windows(part.len()).any(|one| one == part);
    let giver = if r["said"] == "picked up" { "to" } else { "from" };
    let keys = [at, text(r, "program"), text(r, "listing"), text(r, "to"), text(r, giver), text(signed, "signature")];
    let time = shown["blockTime"].as_i64().and_then(|second| jiff::Timestamp::from_second(second).ok());
    let is_plain = time.map(|time| time.to_string()).as_deref() == r["at"].as_str() && !holds(&base58(VERIFIER));
    let is_it = keys.iter().all(|key| holds(&base58(key))) && holds(text(signed, "text").as_bytes());
    need(is_it && (is_plain || !signed.is_null()), &format!("transaction {at} is not this handoff"))
}

/// Ends with the first fault, and says of which receipt it is.
fn end_at_fault(place: usize, checked: Result<(), String>) {
    if let Err(why) = checked {
        eprintln!("receipt {}: {why}", place + 1);
        std::process::exit(1)
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let chain: Vec<Value> = serde_json::from_slice(&std::fs::read(&args[1]).expect("a file")).expect("a chain");
    let rpc = args.get(3).filter(|_| args[2] == "--rpc");
    end_at_fault(0, need(!chain.is_empty(), "there is none"));
    for (place, r) in chain.iter().enumerate() {
        end_at_fault(place, check(r));
        end_at_fault(
            place,
            match place {
                0 => need(r["previous"].is_null(), "it is not the first one of its chain"),
                _ => check_after(r, &chain[place - 1]),
            },
        );
    }
    let lands = |r: &Value| rpc.filter(|_| !r["landed"].is_null());
    for (place, r) in chain.iter().enumerate() {
        end_at_fault(place, lands(r).map_or(Ok(()), |rpc| check_ledger(r, rpc)));
    }
    for r in &chain {
        let [from, to, at, said] = ["from", "to", "at", "said"].map(|name| text(r, name));
        let condition = format!("{} {}", text(r, "condition"), text(r, "hash"));
        let landed = lands(r).map_or("", |_| ", on the ledger");
        println!("{from} gave it to {to} at {at}: {said}, {}{landed}", condition.trim());
    }
}
