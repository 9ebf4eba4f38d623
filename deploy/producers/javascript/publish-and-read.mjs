// Publishes a node with two GPUs, a class and a claim, and waits for the decision.
//
//   node publish-and-read.mjs BOOTSTRAP REGISTRY_URL     (or KAFKA_BOOTSTRAP and SCHEMA_REGISTRY_URL in the environment)
//
// Exit code 0: allocated, 3: pending, 1: error.
import { randomUUID } from 'node:crypto';
import { SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import kafkajs from 'kafkajs';

const { Kafka, logLevel } = kafkajs;
const TIMEOUT_MS = 60_000;

const [bootstrap = process.env.KAFKA_BOOTSTRAP, registryUrl = process.env.SCHEMA_REGISTRY_URL] = process.argv.slice(2);
if (!bootstrap || !registryUrl) {
  console.error('usage: node publish-and-read.mjs BOOTSTRAP REGISTRY_URL (or KAFKA_BOOTSTRAP, SCHEMA_REGISTRY_URL)');
  process.exit(1);
}

const kafka = new Kafka({ clientId: 'site-javascript', brokers: bootstrap.split(','), logLevel: logLevel.ERROR });
const registry = new SchemaRegistry({ host: registryUrl });

// ---- keys and partitions

const keyText = (parts) => parts.map((part) => part.replaceAll('%', '%25').replaceAll('/', '%2F')).join('/');
const keyParts = (key) => key.split('/').map((part) => part.replaceAll('%2F', '/').replaceAll('%25', '%'));

/** Kafka's hash of UTF-8 text, as a 32-bit number. */
function murmur2(text) {
  const data = Buffer.from(text, 'utf8');
  const M = 0x5bd1e995;
  let hash = 0x9747b28c ^ data.length;
  let at = 0;
  for (; at + 4 <= data.length; at += 4) {
    let word = Math.imul(data.readInt32LE(at), M);
    word = Math.imul(word ^ (word >>> 24), M);
    hash = Math.imul(hash, M) ^ word;
  }
  const rest = data.length - at;
  if (rest === 3) hash ^= data[at + 2] << 16;
  if (rest >= 2) hash ^= data[at + 1] << 8;
  if (rest >= 1) hash = Math.imul(hash ^ data[at], M);
  hash = Math.imul(hash ^ (hash >>> 13), M);
  return hash ^ (hash >>> 15);
}

/** The second part of the key decides the partition; if it is empty, the whole key does. */
const byPlace = () => ({ partitionMetadata, message }) => {
  const place = keyParts(message.key)[1];
  return (murmur2(place === '' ? message.key : place) & 0x7fffffff) % partitionMetadata.length;
};

// ---- inventory and claim

// Each producer has its own source name. Its versions grow, also over restarts.
const stamp = { source: 'site-javascript', epoch: 1, version: Date.now() };
const meta = (namespace, name) => ({ namespace, name, uid: randomUUID() });

async function message(topic, parts, content) {
  const [object] = Object.values(content);
  const schema = await registry.getLatestSchemaId(`${topic}-value`);
  return { key: keyText(parts), value: await registry.encode(schema, { ...stamp, uid: object.meta.uid, ...content }) };
}

const gpu = (name) => ({
  name,
  attributes: { model: { stringValue: 'example-80' } },
  capacity: { memory: { value: '80Gi' } },
});

const node = { meta: meta('', 'javascript-node') };
const slice = {
  meta: meta('', 'javascript-node-gpus'),
  driver: 'javascript.example.com',
  pool: 'javascript-node',
  generation: 1,
  resourceSliceCount: 1,
  scope: { node: 'javascript-node' },
  devices: [gpu('gpu-0'), gpu('gpu-1')],
};
const deviceClass = { meta: meta('', 'javascript-gpu'), selectors: ['device.driver == "javascript.example.com"'] };
const claim = {
  meta: meta('outside', 'javascript-claim'),
  spec: {
    requests: [
      {
        name: 'gpu',
        exactly: {
          spec: {
            deviceClassName: 'javascript-gpu',
            selectors: ['device.capacity["javascript.example.com"].memory.compareTo(quantity("40Gi")) >= 0'],
          },
        },
      },
    ],
  },
};

async function publish() {
  const producer = kafka.producer({ createPartitioner: byPlace });
  await producer.connect();
  await producer.send({
    topic: 'inventory.v1',
    acks: -1,
    messages: [
      await message('inventory.v1', ['Node', 'javascript-node', 'javascript-node'], { node }),
      await message('inventory.v1', ['ResourceSlice', 'javascript-node', 'javascript-node-gpus'], { slice }),
      await message('inventory.v1', ['DeviceClass', '', 'javascript-gpu'], { deviceClass }),
    ],
  });
  await producer.send({
    topic: 'claims.v1',
    acks: -1,
    messages: [await message('claims.v1', ['ResourceClaim', 'outside', 'javascript-claim'], { claim })],
  });
  await producer.disconnect();
}

// ---- the decision

function describe(decision) {
  const name = `${decision.namespace}/${decision.name}`;
  if (decision.allocated) {
    const devices = decision.allocated.allocation.results.map(({ device: id }) => `${id.driver}/${id.pool}/${id.device}`);
    return `allocated ${name} on ${decision.allocated.node}: ${devices.join(' ')}`;
  }
  return decision.pending ? `pending ${name}: ${decision.pending.reason}, ${decision.pending.message}` : `released ${name}`;
}

/** Returns the exit code. Reads only committed records, in its own consumer group. */
async function decision(claimUid) {
  const consumer = kafka.consumer({ groupId: `site-javascript-${randomUUID()}`, readUncommitted: false });
  await consumer.connect();
  await consumer.subscribe({ topic: 'decisions.v1', fromBeginning: true });
  let last = 'no decision: is the allocator running?';
  const code = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      console.error(`not allocated within ${TIMEOUT_MS / 1000} s; last decision: ${last}`);
      resolve(3);
    }, TIMEOUT_MS);
    const eachMessage = async ({ message: record }) => {
      if (record.key?.toString() !== claimUid || !record.value) return;
      const value = await registry.decode(record.value);
      last = describe(value);
      console.log(last);
      if (value.allocated) {
        clearTimeout(timer);
        resolve(0);
      }
    };
    consumer.run({ eachMessage }).catch(reject);
  });
  await consumer.disconnect();
  return code;
}

await publish();
process.exit(await decision(claim.meta.uid));
