"""A courier: bids for its stretch of road and carries what it wins. With terms it stakes, keeps its clocks and claims.

python courier.py http://127.0.0.1:8080 courier.json 52.52,13.40 52.50,13.47
"""

import asyncio
import logging
import sys

from legwork import Courier, LegworkClient, Offer, load_or_create_keypair, parse_sol

PER_KM = parse_sol(0.005)


class Rider(Courier):
    def __init__(self, pickup, dropoff):
        self.pickup, self.dropoff = pickup, dropoff

    async def offer(self, parcel):
        """Yours to replace: what it bids. Without a stretch of its own it offers the whole way."""
        pickup = self.pickup or (parcel["originLat"], parcel["originLng"])
        return Offer.by_road(pickup, self.dropoff or (parcel["destLat"], parcel["destLng"]), PER_KM)

    async def holds(self, parcel, leg):
        """Yours to replace: a real one asks its people. Here the parcel is always in hand, and there at once."""
        return True

    async def evidence(self, at, is_last):
        return "It is with me, at the place where this leg ends." if is_last else None


def place_of(text):
    lat, lng = text.split(",")
    return float(lat), float(lng)


async def main(url="http://127.0.0.1:8080", key="courier.json", pickup=None, dropoff=None):
    stretch = [None if place is None else place_of(place) for place in (pickup, dropoff)]
    async with LegworkClient(url, load_or_create_keypair(key)) as client:
        await client.register_agent(agent_pubkey=client.pubkey, display_name="example courier")
        print(f"courier {client.pubkey} looks for work", flush=True)
        await Rider(*stretch).run(client)


logging.basicConfig(format="%(message)s")
logging.getLogger("legwork").setLevel("INFO")
asyncio.run(main(*sys.argv[1:]))
