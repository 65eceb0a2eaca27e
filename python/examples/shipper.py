"""A shipper: has one package carried, hands it over, signs for it at the end, and leaves when it is settled.

python shipper.py http://127.0.0.1:8080 shipper.json
"""

import asyncio
import sys

from legwork import (
    LegworkClient,
    format_sol,
    list_package,
    listed,
    load_or_create_keypair,
    parse_sol,
    receive,
    sign_pickup,
)

FROM_BERLIN_TO_ITS_AIRPORT = {"origin_lat": 52.5212, "origin_lng": 13.3969, "dest_lat": 52.3622, "dest_lng": 13.5007}


async def main(url="http://127.0.0.1:8080", key="shipper.json", terms=None):
    async with LegworkClient(url, load_or_create_keypair(key)) as client:
        await client.register_agent(agent_pubkey=client.pubkey, display_name="example shipper")
        box = {"description": "a box of books", "weight_kg": 4, "volume_litres": 20, "max_budget": parse_sol(0.3)}
        # Left out: the usual terms of the service, which bind both sides.
        parcel = await list_package(client, **FROM_BERLIN_TO_ITS_AIRPORT, **box, terms=terms)
        print(f"listed package {parcel['id']}", flush=True)
        signed_for = None
        while parcel["status"] not in ("delivered", "failed"):
            await asyncio.sleep(1)
            parcel = await client.get_package(package_id=parcel["id"])
            legs = parcel["swarm"]["legs"] if parcel["swarm"] and parcel["swarm"]["status"] == "active" else []
            leg = next((one for one in legs if one["status"] == "pending"), None)
            if leg is None:
                continue
            # The first courier has the parcel once it has sent what the shipper signs, once for each courier: it may not leave before.
            if leg["legIndex"] == 0 and leg["stage"] == "accepted" and leg["agentPubkey"] != signed_for:
                await sign_pickup(client, await listed(client, package_id=parcel["id"]), leg["id"])
                signed_for = leg["agentPubkey"]
                print("signed the pickup, and it may go once its leg is carried", flush=True)
            # The last leg is the shipper's to confirm: the package has arrived.
            elif leg is legs[-1] and leg["stage"] in (None, "carried", "claimed"):
                print(f"received: {(await receive(client, parcel['id'])).signature}", flush=True)
        print(f"{parcel['status']}; {format_sol(parcel['refund'] or 0)} SOL came back", flush=True)


asyncio.run(main(*sys.argv[1:]))
