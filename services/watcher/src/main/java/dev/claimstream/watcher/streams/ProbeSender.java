package dev.claimstream.watcher.streams;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.kafka.PublicTopicProducer;
import dev.claimstream.kafka.Topics;
import dev.claimstream.wire.PublicRecord;

/** Sends a probe as one record per partition of every public topic, so that it overtakes no record. */
final class ProbeSender {
    private ProbeSender() {}

    static void send(PublicTopicProducer topics, Stamp stamp, String id) {
        int inventory = topics.partitions(Topics.INVENTORY);
        int records = inventory + topics.partitions(Topics.CLAIMS);
        for (int place = 0; place < records; place++) {
            PublicRecord probe = place < inventory
                    ? PublicRecord.probeInventory(stamp, id, place, records)
                    : PublicRecord.probeClaims(stamp, id, place, records);
            switch (probe) {
                case PublicRecord.InventoryTopicRecord each -> topics.send(place, each.key(), each.value());
                case PublicRecord.ClaimsTopicRecord each -> topics.send(place - inventory, each.key(), each.value());
            }
        }
    }
}
