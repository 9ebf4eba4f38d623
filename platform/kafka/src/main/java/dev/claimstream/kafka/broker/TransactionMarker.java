package dev.claimstream.kafka.broker;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.TransactionResult;
import org.apache.kafka.common.requests.WriteTxnMarkersRequest;
import org.apache.kafka.common.requests.WriteTxnMarkersResponse;

/**
 * The transaction marker that commits or aborts a transaction in one partition. Kafka's admin client can write abort markers only.
 *
 * @param openEpoch the producer's epoch in the partition
 * @param epoch the producer's epoch at the end of the transaction
 * @param coordinatorEpoch the highest coordinator epoch in the partition
 */
record TransactionMarker(
        TopicPartition partition, long producerId, int openEpoch, int epoch, int coordinatorEpoch, boolean isCommit) {
    private static final short EPOCH_STAYS = 1;
    private static final short EPOCH_GROWS = 2;

    /**
     * Sends the marker to a broker.
     *
     * @return whether the broker has written it
     */
    boolean writeAt(String bootstrap) throws IOException {
        var request =
                new WriteTxnMarkersRequest.Builder(List.of(entry())).build(ApiKeys.WRITE_TXN_MARKERS.latestVersion());
        return BrokerRequest.send(bootstrap, request) instanceof WriteTxnMarkersResponse written
                && written.errorsByProducerId()
                                .getOrDefault(producerId, Map.of())
                                .get(partition)
                        == Errors.NONE;
    }

    private WriteTxnMarkersRequest.TxnMarkerEntry entry() {
        return new WriteTxnMarkersRequest.TxnMarkerEntry(
                producerId,
                (short) epoch,
                coordinatorEpoch,
                isCommit ? TransactionResult.COMMIT : TransactionResult.ABORT,
                List.of(partition),
                epoch > openEpoch ? EPOCH_GROWS : EPOCH_STAYS);
    }
}
