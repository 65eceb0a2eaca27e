# Checks a chain of receipts: python3 verify.py CHAIN.json [--rpc URL]. Needs the package cryptography.
import base64, hashlib, itertools, json, re, sys, time, urllib.request
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

KEY, HASH, BASE58 = '"[1-9A-HJ-NP-Za-km-z]{32,44}"', '"[0-9a-f]{64}"', '"[1-9A-HJ-NP-Za-km-z]{1,88}"'
LANDED = f'"landed":(null|{{"slot":"[0-9]{{1,20}}","transaction":{BASE58}}}),'
# The canonical JSON of a receipt: members in the order of their names, and nothing else.
FORM = (f'{{"at":"[-0-9T:]{{19}}Z","condition":"(as described|noted|not said)","document":{HASH},"formation":[0-9]{{1,5}},"from":{KEY},"hash":(null|{HASH}),{LANDED}'
        f'"legIndex":[0-6],"listing":{KEY},"previous":(null|{HASH}),"program":{KEY},"said":"(picked up|taken over|received|accepted)",'
        f'"signed":(null|{{"signature":{BASE58},"signer":{KEY},"text":"[^"]*"}}),"to":{KEY},"v":"legwork.receipt/1"}}')
ALPHABET, VERIFIER = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", "Ed25519SigVerify111111111111111111111111111"

def need(holds, why):  # Ends with the first fault, and says at which receipt.
    if not holds:
        sys.exit(f"receipt {place + 1}: {why}")

def is_signed(key, signature, text):
    try:
        return Ed25519PublicKey.from_public_bytes(b58(key)).verify(b58(signature), text.encode()) is None
    except InvalidSignature:
        return False

def b58(text):
    number = sum(ALPHABET.index(one) * 58**place for place, one in enumerate(reversed(text)))
    return bytes(len(text) - len(text.lstrip("1"))) + number.to_bytes((number.bit_length() + 7) // 8, "big")

def canonical(r): return json.dumps(r, sort_keys=True, separators=(",", ":"))

def check(r, before):
    is_form = re.fullmatch(FORM, canonical(r)) and (r["hash"] is not None) == ((r["said"] == "accepted") != (r["condition"] == "noted"))
    need(is_form and all(len(b58(r[name])) == 32 for name in ("program", "listing", "from", "to")), "it has not the form of a receipt")
    said, signed = r["said"], r["signed"]
    need((signed is None) == (r["condition"] == "not said"), "nobody signed what it says of the condition")
    if signed is not None:
        signer, told = r["from" if said == "picked up" else "to"], f"{'result' if said == 'accepted' else 'noted'} {r['hash']}"
        need(signed["signer"] == signer, f"{signer} should have signed it")
        mine = f"Legwork handoff 1\n{r['listing']}\nleg {r['legIndex'] + 1}, formation {r['formation']}\n{said}\n{told if r['hash'] else 'as described'}\n{r['at']}\n"
        need(re.fullmatch(mine + "[0-9a-f]{16}", signed["text"]), "its text says something else")
        need(is_signed(signer, signed["signature"], signed["text"]), "its signature is not of this text and key")
    if before is None: return need(r["previous"] is None, "it is not the first one of its chain")
    whole = re.sub(LANDED, "", canonical(before))
    need(r["previous"] == hashlib.sha256(whole.encode()).hexdigest(), "it does not follow the one before")
    nonces = {one["signed"]["text"][-16:] for one in (before, r) if one["signed"]}
    need(len(nonces) < 2 and all(r[name] == before[name] for name in ("program", "listing", "document")), "it is of another listing")
    need(said == "accepted" or r["from"] == before["to"], f"{r['from']} did not have it")
    need(said == "accepted" or before["said"] != "received", "it follows the end")
    need(r["legIndex"] >= before["legIndex"], "it is of an earlier leg")

def check_ledger(r, _):
    if r["landed"] is None: return
    at, how = r["landed"]["transaction"], {"encoding": "base64", "commitment": "confirmed", "maxSupportedTransactionVersion": 1}
    call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "getTransaction", "params": [at, how]}).encode()
    shown = json.load(urllib.request.urlopen(urllib.request.Request(rpc, call, {"content-type": "application/json"}))).get("result")
    need(shown and shown["meta"]["err"] is None, f"the ledger does not show that transaction {at} succeeded")
    wire, signed = base64.b64decode(shown["transaction"][0]), r["signed"]
    held = [b58(one) for one in (r["program"], r["listing"], r["to"], *([r["from"]] if r["said"] != "picked up" else []))]
    if signed: held.append(b58(signed["signer"]) + b58(signed["signature"]) + signed["text"].encode())
    is_plain = b58(VERIFIER) not in wire and r["at"] == time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(shown["blockTime"]))
    need(b58(at) in wire and all(one in wire for one in held) and (signed or is_plain), f"transaction {at} is not this handoff")

chain, rpc, place = json.load(open(sys.argv[1])), sys.argv[3] if sys.argv[2:3] == ["--rpc"] else None, 0
need(chain, "there is none")
for check_one, (place, r) in itertools.product([check, check_ledger] if rpc else [check], enumerate(chain)):
    check_one(r, chain[place - 1] if place else None)
for r in chain:
    landed = ", on the ledger" if rpc and r["landed"] else ""
    print(f"{r['from']} gave it to {r['to']} at {r['at']}: {r['said']}, {r['condition']}{' ' + r['hash'] if r['hash'] else ''}{landed}")
