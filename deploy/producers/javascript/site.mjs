// A node with two GPUs, a class and a claim, and the decision on the claim. Needs no package: the callers bring the
// Kafka client and the functions that encode and decode values.
import { randomUUID } from 'node:crypto';

const TIMEOUT_MS = 60_000;

/** What the program waits for, for the message at the timeout. */
let waitsFor = 'its start';

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

const meta = (namespace, name) => ({ namespace, name, uid: randomUUID() });

const gpu = (name) => ({
  name,
  attributes: { model: { stringValue: 'example-80' } },
  capacity: { memory: { value: '80Gi' } },
});

/** The objects of a site. The name is part of all their names, so that several sites can publish to one cluster. */
function objects(site) {
  const driver = `${site}.example.com`;
  const node = { meta: meta('', `${site}-node`) };
  const slice = {
    meta: meta('', `${site}-node-gpus`),
    driver,
    pool: `${site}-node`,
    generation: 1,
    resourceSliceCount: 1,
    scope: { node: `${site}-node` },
    devices: [gpu('gpu-0'), gpu('gpu-1')],
  };
  const deviceClass = { meta: meta('', `${site}-gpu`), selectors: [`device.driver == "${driver}"`] };
  const selectors = [`device.capacity["${driver}"].memory.compareTo(quantity("40Gi")) >= 0`];
  const exactly = { spec: { deviceClassName: `${site}-gpu`, selectors } };
  const claim = { meta: meta('outside', `${site}-claim`), spec: { requests: [{ name: 'gpu', exactly }] } };
  return { node, slice, deviceClass, claim };
}

/** Publishes the objects of a site; encode(topic, value) returns a promise of bytes. Returns the uid of the claim. */
async function publish(site, kafka, encode) {
  // Each producer has its own source name. Its versions grow, also over restarts.
  const stamp = { source: `site-${site}`, epoch: 1, version: Date.now() };
  const { node, slice, deviceClass, claim } = objects(site);
  const message = async (topic, parts, content) => {
    const [object] = Object.values(content);
    waitsFor = `the schema of ${topic} from the registry`;
    return { key: keyText(parts), value: await encode(topic, { ...stamp, uid: object.meta.uid, ...content }) };
  };
  const inventory = [
    await message('inventory.v1', ['Node', node.meta.name, node.meta.name], { node }),
    await message('inventory.v1', ['ResourceSlice', slice.pool, slice.meta.name], { slice }),
    await message('inventory.v1', ['DeviceClass', '', deviceClass.meta.name], { deviceClass }),
  ];
  const claims = [await message('claims.v1', ['ResourceClaim', claim.meta.namespace, claim.meta.name], { claim })];
  waitsFor = 'the broker, to publish the objects';
  const producer = kafka.producer({ createPartitioner: byPlace });
  await producer.connect();
  await producer.send({ topic: 'inventory.v1', acks: -1, messages: inventory });
  await producer.send({ topic: 'claims.v1', acks: -1, messages: claims });
  await producer.disconnect();
  return claim.meta.uid;
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

/** Waits for the decision; decode(topic, bytes) returns a promise of a value. Returns the exit code. Reads only committed
 * records, in its own consumer group. */
async function decision(site, kafka, decode, claimUid) {
  waitsFor = 'the broker, to join a consumer group';
  const consumer = kafka.consumer({ groupId: `site-${site}-${randomUUID()}`, readUncommitted: false });
  await consumer.connect();
  await consumer.subscribe({ topic: 'decisions.v1', fromBeginning: true });
  waitsFor = 'a decision: is the allocator running?';
  const code = await new Promise((resolve, reject) => {
    const eachMessage = async ({ topic, message: record }) => {
      if (record.key?.toString() !== claimUid || !record.value) return;
      waitsFor = `the schema of ${topic} from the registry`;
      const value = await decode(topic, record.value);
      console.log(describe(value));
      waitsFor = 'an allocation';
      if (value.allocated) resolve(0);
    };
    consumer.run({ eachMessage }).catch(reject);
  });
  await consumer.disconnect();
  return code;
}

/** Returns the addresses of the command line or of the environment; ends the program if one is missing. */
export function addresses() {
  const [bootstrap = process.env.KAFKA_BOOTSTRAP, registryUrl = process.env.SCHEMA_REGISTRY_URL] = process.argv.slice(2);
  if (!bootstrap || !registryUrl) {
    console.error('usage: node publish-and-read.mjs BOOTSTRAP REGISTRY_URL (or KAFKA_BOOTSTRAP, SCHEMA_REGISTRY_URL)');
    process.exit(1);
  }
  return { bootstrap, registryUrl };
}

/** Publishes, waits for the decision, and ends the program: 0 allocated, 3 not allocated in time, 1 error. */
export async function publishAndRead(site, kafka, { encode, decode }) {
  setTimeout(() => {
    console.error(`not allocated within ${TIMEOUT_MS / 1000} s; still waits for ${waitsFor}`);
    process.exit(3);
  }, TIMEOUT_MS);
  process.exit(await decision(site, kafka, decode, await publish(site, kafka, encode)));
}
