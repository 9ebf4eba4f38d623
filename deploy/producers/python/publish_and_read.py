"""Publishes a node with two GPUs, a class and a claim, and waits for the decision.

    python3 publish_and_read.py BOOTSTRAP REGISTRY_URL     (or KAFKA_BOOTSTRAP and SCHEMA_REGISTRY_URL in the environment)

Exit code 0: allocated, 3: pending, 1: error.
"""

import os
import sys
import time
import uuid

from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

INVENTORY, CLAIMS, DECISIONS = "inventory.v1", "claims.v1", "decisions.v1"
TIMEOUT_S = 60

# Each producer has its own source name. Its versions grow, also over restarts.
STAMP = {"source": "site-python", "epoch": 1, "version": time.time_ns() // 1_000_000}


def key_text(parts):
    return "/".join(part.replace("%", "%25").replace("/", "%2F") for part in parts)


def murmur2(text):
    """Kafka's hash of UTF-8 text, as an unsigned 32-bit number."""
    data, m, mask = text.encode(), 0x5BD1E995, 0xFFFFFFFF
    h = 0x9747B28C ^ len(data)
    whole = len(data) & ~3
    for at in range(0, whole, 4):
        k = int.from_bytes(data[at : at + 4], "little") * m & mask
        k = (k ^ k >> 24) * m & mask
        h = (h * m & mask) ^ k
    if len(data) > whole:
        h = (h ^ int.from_bytes(data[whole:], "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    return h ^ h >> 15


def partition(parts, partitions):
    """The second part of the key decides the partition; if it is empty, the whole key does."""
    return (murmur2(parts[1] or key_text(parts)) & 0x7FFFFFFF) % partitions


class Publisher:
    def __init__(self, bootstrap, registry):
        self.producer = Producer({"bootstrap.servers": bootstrap, "acks": "all", "enable.idempotence": True})
        # Claimstream registers the schemas. Use the latest version and register none.
        settings = {"auto.register.schemas": False, "use.latest.version": True}
        self.serializer = AvroSerializer(registry, conf=settings)
        self.failures = []

    def send(self, topic, parts, **content):
        (an_object,) = content.values()
        value = {**STAMP, "uid": an_object["meta"]["uid"], **content}
        partitions = len(self.producer.list_topics(topic, timeout=10).topics[topic].partitions)
        self.producer.produce(
            topic,
            key=key_text(parts),
            value=self.serializer(value, SerializationContext(topic, MessageField.VALUE)),
            partition=partition(parts, partitions),
            on_delivery=lambda error, _: error and self.failures.append(error),
        )

    def flush(self):
        if self.producer.flush(30) or self.failures:
            raise RuntimeError(f"a record was not acknowledged: {self.failures or 'no response from the broker'}")


def meta(namespace, name):
    return {"namespace": namespace, "name": name, "uid": str(uuid.uuid4())}


def gpu(name):
    return {
        "name": name,
        "attributes": {"model": {"stringValue": "example-80"}},
        "capacity": {"memory": {"value": "80Gi"}},
    }


def publish(publisher):
    """Returns the uid of the claim."""
    publisher.send(INVENTORY, ["Node", "python-node", "python-node"], node={"meta": meta("", "python-node")})
    a_slice = {
        "meta": meta("", "python-node-gpus"),
        "driver": "python.example.com",
        "pool": "python-node",
        "generation": 1,
        "resourceSliceCount": 1,
        "scope": {"node": "python-node"},
        "devices": [gpu("gpu-0"), gpu("gpu-1")],
    }
    publisher.send(INVENTORY, ["ResourceSlice", "python-node", "python-node-gpus"], slice=a_slice)
    a_class = {"meta": meta("", "python-gpu"), "selectors": ['device.driver == "python.example.com"']}
    publisher.send(INVENTORY, ["DeviceClass", "", "python-gpu"], deviceClass=a_class)
    selector = 'device.capacity["python.example.com"].memory.compareTo(quantity("40Gi")) >= 0'
    request = {"name": "gpu", "exactly": {"spec": {"deviceClassName": "python-gpu", "selectors": [selector]}}}
    claim = {"meta": meta("outside", "python-claim"), "spec": {"requests": [request]}}
    publisher.send(CLAIMS, ["ResourceClaim", "outside", "python-claim"], claim=claim)
    publisher.flush()
    return claim["meta"]["uid"]


def describe(decision):
    name = f"{decision['namespace']}/{decision['name']}"
    if decision["allocated"]:
        ids = [result["device"] for result in decision["allocated"]["allocation"]["results"]]
        devices = " ".join(f"{each['driver']}/{each['pool']}/{each['device']}" for each in ids)
        return f"allocated {name} on {decision['allocated']['node']}: {devices}"
    if decision["pending"]:
        return f"pending {name}: {decision['pending']['reason']}, {decision['pending']['message']}"
    return f"released {name}"


def decisions(bootstrap, registry, claim_uid):
    """Yields the committed decisions on the claim, past and future, until the timeout."""
    consumer = Consumer(
        {"bootstrap.servers": bootstrap, "group.id": "site-python", "isolation.level": "read_committed", "enable.auto.commit": False}
    )
    deserializer = AvroDeserializer(registry)
    partitions = consumer.list_topics(DECISIONS, timeout=10).topics[DECISIONS].partitions
    consumer.assign([TopicPartition(DECISIONS, each, OFFSET_BEGINNING) for each in partitions])
    end = time.monotonic() + TIMEOUT_S
    try:
        while time.monotonic() < end:
            record = consumer.poll(0.2)
            if record is None or record.error() or record.value() is None or record.key() != claim_uid.encode():
                continue
            yield deserializer(record.value(), SerializationContext(DECISIONS, MessageField.VALUE))
    finally:
        consumer.close()


def main(arguments):
    bootstrap = arguments[0] if arguments else os.environ.get("KAFKA_BOOTSTRAP")
    registry_url = arguments[1] if len(arguments) > 1 else os.environ.get("SCHEMA_REGISTRY_URL")
    if not bootstrap or not registry_url:
        print("usage: publish_and_read.py BOOTSTRAP REGISTRY_URL (or KAFKA_BOOTSTRAP, SCHEMA_REGISTRY_URL)", file=sys.stderr)
        return 1
    registry = SchemaRegistryClient({"url": registry_url})
    claim_uid = publish(Publisher(bootstrap, registry))
    last = "no decision: is the allocator running?"
    for decision in decisions(bootstrap, registry, claim_uid):
        last = describe(decision)
        print(last, flush=True)
        if decision["allocated"]:
            return 0
    print(f"not allocated within {TIMEOUT_S} s; last decision: {last}", file=sys.stderr)
    return 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
