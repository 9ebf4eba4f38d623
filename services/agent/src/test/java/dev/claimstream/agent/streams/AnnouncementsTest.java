package dev.claimstream.agent.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.wire.Published;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is told to the log, and what not. */
final class AnnouncementsTest {
    private static final long START = 1_700_000_000_000L;

    private final Announcements announcements = new Announcements("agent:node-1", START);

    private static ResourceSlice slice(String name, long generation) {
        return new ResourceSlice(
                ObjectMeta.of("", name, "uid-" + name),
                "gpu.example.com",
                "node-1",
                generation,
                1,
                new NodeScope.OnNode("node-1"),
                List.of(),
                List.of());
    }

    private List<String> told(List<ResourceSlice> slices) {
        return announcements.of(slices).stream().map(AnnouncementsTest::text).toList();
    }

    private static String text(Published record) {
        InventoryRecord value = ((Published.Inventory) record).value();
        return value.getSlice()
                .map(slice -> "seen " + slice.getMeta().getName())
                .or(() -> value.getWithdrawn().map(gone -> "gone " + gone.getName()))
                .or(() -> value.getListed().map(listed -> "listed " + listed.getCount()))
                .orElse("?");
    }

    @Test
    void firstEverythingThenThatThisWasAll() {
        assertThat(told(List.of(slice("a", 1), slice("b", 1)))).containsExactly("seen a", "seen b", "listed 2");
    }

    @Test
    void aNodeWithoutDevicesListsNothing() {
        assertThat(told(List.of())).containsExactly("listed 0");
    }

    @Test
    void afterThatOnlyWhatChanged() {
        var before = List.of(slice("a", 1), slice("b", 1));
        told(before);
        announcements.kept(before);
        assertThat(told(before)).isEmpty();
        assertThat(told(List.of(slice("a", 2)))).containsExactly("seen a", "gone b");
    }

    @Test
    void whatMayBeLostIsSaidAgainAndWhatMayBeThereIsTakenBack() {
        told(List.of(slice("a", 1), slice("b", 1)));
        announcements.lost();
        assertThat(told(List.of(slice("a", 1)))).containsExactly("seen a", "gone b", "listed 1");
        announcements.lost();
        assertThat(told(List.of(slice("a", 1)))).containsExactly("seen a", "gone b", "listed 1");
        announcements.kept(List.of(slice("a", 1)));
        assertThat(told(List.of(slice("a", 1)))).isEmpty();
    }

    @Test
    void versionsGrowFromTheTimeOfTheStart() {
        var records = announcements.of(List.of(slice("a", 1), slice("b", 1)));
        assertThat(records)
                .extracting(each -> ((Published.Inventory) each).value().getVersion())
                .containsExactly(START + 1, START + 2, START + 2);
        assertThat(records)
                .extracting(each -> ((Published.Inventory) each).value().getEpoch())
                .containsOnly(START);
    }
}
