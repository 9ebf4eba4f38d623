// Publishes a node with two GPUs, a class and a claim, and waits for the decision.
//
//   node publish-and-read.mjs BOOTSTRAP REGISTRY_URL     (or KAFKA_BOOTSTRAP and SCHEMA_REGISTRY_URL in the environment)
//
// Exit code 0: allocated, 3: pending, 1: error.
import { SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import kafkajs from 'kafkajs';
import { addresses, publishAndRead } from './site.mjs';

const { Kafka, logLevel } = kafkajs;
const { bootstrap, registryUrl } = addresses();
const kafka = new Kafka({ clientId: 'site-javascript', brokers: bootstrap.split(','), logLevel: logLevel.ERROR });
const registry = new SchemaRegistry({ host: registryUrl });

// Claimstream registers the schemas. Use the latest version and register none.
const encode = async (topic, value) => registry.encode(await registry.getLatestSchemaId(`${topic}-value`), value);
const decode = (_topic, bytes) => registry.decode(bytes);

await publishAndRead('javascript', kafka, { encode, decode });
