package dev.claimstream.kafka.registry;

import dev.claimstream.kafka.KafkaConnection;
import org.apache.avro.Schema;

/**
 * A schema registry in this JVM that stores its schemas in topic {@code schemas.v1}.
 *
 * <p>So schema ids survive a restart. New subjects are {@link CompatibilityLevel#FULL_TRANSITIVE}. A cluster has at most one such registry.
 * Safe for many threads.
 */
public final class EmbeddedRegistry implements SchemaRegistry, AutoCloseable {
    private final CatalogTopic topic;
    private final SchemaCatalog catalog;

    private EmbeddedRegistry(CatalogTopic topic, SchemaCatalog catalog) {
        this.topic = topic;
        this.catalog = catalog;
    }

    /**
     * Opens the registry from its topic, which must exist.
     *
     * @throws RegistryException if another program has written to the topic
     */
    public static EmbeddedRegistry open(KafkaConnection connection) {
        var topic = new CatalogTopic(connection);
        var catalog = new SchemaCatalog(topic::append);
        topic.replay(catalog::apply);
        return new EmbeddedRegistry(topic, catalog);
    }

    @Override
    public int register(String subject, Schema schema) {
        return catalog.register(subject, schema);
    }

    @Override
    public Schema byId(int id) {
        return catalog.byId(id);
    }

    /**
     * Serves the registry to other programs in Confluent's protocol, on loopback.
     *
     * @param port 0: any free port
     */
    public RegistryServer serve(int port) {
        return RegistryServer.start(catalog, port);
    }

    @Override
    public void close() {
        topic.close();
    }
}
