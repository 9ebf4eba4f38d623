package dev.claimstream.watcher.streams;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.kafka.PublicTopics;
import dev.claimstream.kafka.Topics;
import dev.claimstream.wire.Published;

/** Sends a probe as one record per partition of every public topic, so that it overtakes no record. */
final class Probes {
    private Probes() {}

    static void send(PublicTopics topics, Stamp stamp, String id) {
        int inventory = topics.partitions(Topics.INVENTORY);
        int records = inventory + topics.partitions(Topics.CLAIMS);
        for (int place = 0; place < records; place++) {
            Published probe = place < inventory
                    ? Published.probeInventory(stamp, id, place, records)
                    : Published.probeClaims(stamp, id, place, records);
            switch (probe) {
                case Published.Inventory each -> topics.send(place, each.key(), each.value());
                case Published.Claims each -> topics.send(place - inventory, each.key(), each.value());
            }
        }
    }
}
