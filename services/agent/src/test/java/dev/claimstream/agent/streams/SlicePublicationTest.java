package dev.claimstream.agent.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.wire.PublicRecord;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Records for published, unchanged and lost slices. */
final class SlicePublicationTest {
    private static final long START = 1_700_000_000_000L;

    private final SlicePublication publication = new SlicePublication("agent:node-1", START);

    private static ResourceSlice slice(String name, long generation) {
        return ResourceSlice.builder(ObjectMeta.of("", name, "uid-" + name), "gpu.example.com", "node-1")
                .generation(generation)
                .scope(new NodeScope.SingleNode("node-1"))
                .build();
    }

    private List<String> recordTexts(List<ResourceSlice> slices) {
        return publication.recordsFor(slices).stream()
                .map(SlicePublicationTest::text)
                .toList();
    }

    private static String text(PublicRecord record) {
        InventoryRecord value = ((PublicRecord.InventoryTopicRecord) record).value();
        return value.getSlice()
                .map(slice -> "seen " + slice.getMeta().getName())
                .or(() -> value.getDeleted().map(gone -> "gone " + gone.getName()))
                .or(() -> value.getSynced().map(listed -> "listed " + listed.getCount()))
                .orElse("?");
    }

    @Test
    void publishesAllSlicesThenSyncMarker() {
        assertThat(recordTexts(List.of(slice("a", 1), slice("b", 1)))).containsExactly("seen a", "seen b", "listed 2");
    }

    @Test
    void publishesEmptySyncMarkerWithoutDevices() {
        assertThat(recordTexts(List.of())).containsExactly("listed 0");
    }

    @Test
    void publishesOnlyChangesAfterAcknowledgement() {
        var before = List.of(slice("a", 1), slice("b", 1));
        recordTexts(before);
        publication.acknowledge(before);
        assertThat(recordTexts(before)).isEmpty();
        assertThat(recordTexts(List.of(slice("a", 2)))).containsExactly("seen a", "gone b");
    }

    @Test
    void republishesUnacknowledgedSlicesAndDeletesOthers() {
        recordTexts(List.of(slice("a", 1), slice("b", 1)));
        publication.reset();
        assertThat(recordTexts(List.of(slice("a", 1)))).containsExactly("seen a", "gone b", "listed 1");
        publication.reset();
        assertThat(recordTexts(List.of(slice("a", 1)))).containsExactly("seen a", "gone b", "listed 1");
        publication.acknowledge(List.of(slice("a", 1)));
        assertThat(recordTexts(List.of(slice("a", 1)))).isEmpty();
    }

    @Test
    void versionsGrowFromStartTime() {
        var records = publication.recordsFor(List.of(slice("a", 1), slice("b", 1)));
        assertThat(records)
                .extracting(each ->
                        ((PublicRecord.InventoryTopicRecord) each).value().getVersion())
                .containsExactly(START + 1, START + 2, START + 2);
        assertThat(records)
                .extracting(each ->
                        ((PublicRecord.InventoryTopicRecord) each).value().getEpoch())
                .containsOnly(START);
    }
}
