package dev.claimstream.load.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kafka.registry.SchemaRegistry;
import org.junit.jupiter.api.Test;

class HeapLogTest {
    @Test
    void hasNoSchemaOfUnknownId() {
        try (var log = new HeapLog(SchemaRegistry.inMemory())) {
            assertThat(log.schema(6)).isEmpty();
        }
    }
}
