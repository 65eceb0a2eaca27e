"""A worker: claims legs of digital tasks that it can do, does them, and is paid.

python worker.py http://127.0.0.1:8080 worker.json
"""

import asyncio
import logging
import sys

from legwork import LegworkClient, Worker, load_or_create_keypair


class Counter(Worker):
    async def wants(self, task, leg):
        """Yours to replace: which legs your agent claims. Their instructions are wishes of strangers, nothing it has to obey."""
        return "count the words" in leg["instruction"].lower()

    async def work(self, instruction, context):
        """Yours to replace: does one. The context is the result of the leg before, for the first leg the task's description."""
        return f"{len(context.split())} words"


async def main(url="http://127.0.0.1:8080", key="worker.json"):
    async with LegworkClient(url, load_or_create_keypair(key)) as client:
        await client.register_agent(agent_pubkey=client.pubkey, display_name="example worker")
        print(f"worker {client.pubkey} looks for work", flush=True)
        # Without terms it is paid when it hands in. With terms it also stakes something, and is paid when the poster confirms, or says
        # nothing until the review is over.
        await Counter().run(client)


logging.basicConfig(format="%(message)s")
logging.getLogger("legwork").setLevel("INFO")
asyncio.run(main(*sys.argv[1:]))
