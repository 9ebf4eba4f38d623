package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.kafka.Topics;
import dev.claimstream.schemas.CellInput;
import dev.claimstream.wire.PublicRecord;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The intake while a broker restarts and while a second instance joins and leaves. */
class IntakeIT {
    @TempDir
    private Path folder = Path.of("");

    private static List<PublicRecord> claims(World world, int from, int to) {
        int known = world.published().size();
        for (int i = from; i < to; i++) {
            world.claim("claim-" + i, 1);
        }
        return world.published().subList(known, world.published().size());
    }

    @Test
    void aBrokerThatGoesAwayCostsNoRecord() {
        var world = new World().withDevices(64);
        try (var site = Site.in(folder, Map.of(), Site.waitingForSlices());
                var running = site.start("state").awaitRunning()) {
            site.publish(world.published());
            site.publish(claims(world, 0, 20));
            site.restartBroker();
            site.publish(claims(world, 20, 40));
            site.awaitGranted(40);
            assertThat(running.broken).isNotDone();
            assertThat(site.granted().values().stream().flatMap(List::stream)).doesNotHaveDuplicates();
        }
    }

    @Test
    void severalShareThePartitionsAndLeaveNothingBehind() {
        var world = new World().withDevices(64);
        var partitions = Map.of(Topics.INVENTORY, 3, Topics.CLAIMS, 3);
        try (var site = Site.in(folder, partitions, CellSettings.defaults());
                var first = site.start("allocator-0", "state-0").awaitRunning()) {
            site.publish(world.published());
            site.publish(claims(world, 0, 10));
            try (var second = site.start("allocator-1", "state-1")) {
                site.publish(claims(world, 10, 20));
                site.awaitGranted(20);
                assertThat(second.broken).isNotDone();
            }
            site.publish(claims(world, 20, 40));
            site.awaitGranted(40);
            assertThat(first.broken).isNotDone();
            assertThat(site.granted().values().stream().flatMap(List::stream)).doesNotHaveDuplicates();
            var topics = site.read(Topics.CELLS_IN, CellInput.class).stream()
                    .flatMap(input -> input.getOrigin().stream())
                    .map(origin -> origin.getTopic() + "/" + origin.getPartitions())
                    .collect(Collectors.toSet());
            assertThat(topics).containsExactlyInAnyOrder("inventory.v1/3", "claims.v1/3");
        }
    }
}
