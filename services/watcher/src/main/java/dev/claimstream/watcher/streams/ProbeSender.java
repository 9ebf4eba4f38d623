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
        for (int position = 0; position < records; position++) {
            PublicRecord probe = position < inventory
                    ? PublicRecord.probeInventory(stamp, id, position, records)
                    : PublicRecord.probeClaims(stamp, id, position, records);
            switch (probe) {
                case PublicRecord.InventoryTopicRecord each -> topics.send(position, each.key(), each.value());
                case PublicRecord.ClaimsTopicRecord each -> topics.send(position - inventory, each.key(), each.value());
            }
        }
    }
}
