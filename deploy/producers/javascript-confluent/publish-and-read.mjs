// The same as the program in ../javascript, with Confluent's registry client.
//
//   node publish-and-read.mjs BOOTSTRAP REGISTRY_URL     (or KAFKA_BOOTSTRAP and SCHEMA_REGISTRY_URL in the environment)
//
// Exit code 0: allocated, 3: pending, 1: error.
import { AvroDeserializer, AvroSerializer, SchemaRegistryClient, SerdeType } from '@confluentinc/schemaregistry';
import kafkajs from 'kafkajs';
import { addresses, publishAndRead } from '../javascript/site.mjs';

const { Kafka, logLevel } = kafkajs;
const { bootstrap, registryUrl } = addresses();
const kafka = new Kafka({ clientId: 'site-javascript-confluent', brokers: bootstrap.split(','), logLevel: logLevel.ERROR });
const registry = new SchemaRegistryClient({ baseURLs: [registryUrl] });

// Claimstream registers the schemas. Use the latest version and register none.
const serializer = new AvroSerializer(registry, SerdeType.VALUE, { autoRegisterSchemas: false, useLatestVersion: true });
const deserializer = new AvroDeserializer(registry, SerdeType.VALUE, {});
const encode = (topic, value) => serializer.serialize(topic, value);
const decode = (topic, bytes) => deserializer.deserialize(topic, bytes);

await publishAndRead('javascript-confluent', kafka, { encode, decode });
