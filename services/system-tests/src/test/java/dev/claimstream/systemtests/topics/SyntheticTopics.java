package dev.claimstream.systemtests.topics;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Decision.DecisionResult;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.cli.standalone.StandaloneStack;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ProducerSettings;
import dev.claimstream.kafka.PublicTopicProducer;
import dev.claimstream.kafka.Sender;
import dev.claimstream.kafka.Topics;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.wire.DecisionCodec;
import dev.claimstream.wire.PublicRecord;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Writes the records of watcher, cell and cluster by hand, so that they can be inconsistent. */
final class SyntheticTopics implements AutoCloseable {
    private static final String DRIVER = "gpu.example.com";
    private static final String NODE = "node-1";
    private static final int FRAME_BYTES = 5;

    private final PublicTopicProducer topics;
    private final Sender sender;
    private final AvroSerde<DecisionRecord> decisions;
    private final AvroSerde<LedgerEvent> events;
    private final Instant now;
    private byte[] lastHash = {};
    private long version;

    SyntheticTopics(StandaloneStack stack, Instant now) {
        topics = new PublicTopicProducer(stack.kafka(), stack.registry(), "test");
        sender = new Sender(ProducerSettings.of(stack.kafka(), "test"));
        decisions = AvroSerde.of(DecisionRecord.class, stack.registry());
        events = AvroSerde.of(LedgerEvent.class, stack.registry());
        this.now = now;
    }

    @Override
    public void close() {
        sender.flush();
        topics.flush();
        sender.close();
        topics.close();
    }

    // ---- objects

    void publishNode() {
        publish(new Node(ObjectMeta.of("", NODE, "uid-" + NODE), List.of(), false, true));
    }

    ResourceSlice slice(String name, Stream<String> devices) {
        return ResourceSlice.builder(ObjectMeta.of("", name, "uid-" + name), DRIVER, NODE)
                .generation(1)
                .scope(new NodeScope.SingleNode(NODE))
                .devices(devices.map(device -> Device.of(device, new TreeMap<>(), new TreeMap<>()))
                        .toList())
                .build();
    }

    void publishDevices(int count) {
        publish(slice("slice-1", IntStream.range(0, count).mapToObj(SyntheticTopics::gpu)));
    }

    void publish(ClusterObject object) {
        send(PublicRecord.upsert(stamp(), object));
    }

    void publishDeletion(ClusterObject object) {
        send(PublicRecord.deletion(stamp(), object));
    }

    private Stamp stamp() {
        return new Stamp("watcher", 1, ++version);
    }

    private void send(PublicRecord record) {
        switch (record) {
            case PublicRecord.InventoryTopicRecord(var key, var value) -> topics.send(key, value);
            case PublicRecord.ClaimsTopicRecord(var key, var value) -> topics.send(key, value);
        }
    }

    // ---- claims

    /** Publishes a claim with these devices in its status. */
    ResourceClaim publishClaim(String name, String... devices) {
        var claim = new ResourceClaim(
                ObjectMeta.of("team", name, "uid-" + name),
                new ClaimSpec(List.of(), List.of(), List.of()),
                devices.length == 0 ? Optional.empty() : Optional.of(allocation(devices)),
                List.of());
        publish(claim);
        return claim;
    }

    static String gpu(int number) {
        return "gpu-" + number;
    }

    private static Allocation allocation(String... devices) {
        return new Allocation(
                Arrays.stream(devices)
                        .map(device -> DeviceResult.of("gpus", new DeviceId(DRIVER, NODE, device)))
                        .toList(),
                List.of(),
                Optional.empty(),
                Optional.empty());
    }

    // ---- decisions

    /** Appends the decision to the log and the ledger. */
    void sendDecision(String claim, long number, DecisionResult result) {
        DecisionRecord record = decisionRecord(claim, number, result);
        sendDecision(record);
        appendToLedger(record);
    }

    /** Appends the decision to the log only. */
    void sendDecision(DecisionRecord record) {
        sender.send(Topics.DECISIONS, record.getClaimUid(), decisions.write(Topics.DECISIONS, record));
    }

    /** Appends the decision to the ledger only. */
    void appendToLedger(DecisionRecord record) {
        byte[] previous = lastHash;
        byte[] hash = sha256(previous, bytes(ledgerEvent(record, previous, new byte[0])));
        lastHash = hash;
        appendToLedger(ledgerEvent(record, previous, hash));
    }

    void appendToLedger(LedgerEvent event) {
        sender.send(Topics.LEDGER, 0, "0", events.write(Topics.LEDGER, event));
    }

    void sendTombstone(String claim) {
        sender.sendTombstone(Topics.DECISIONS, "uid-" + claim);
    }

    void bytes(String topic, byte[] bytes) {
        sender.send(topic, "ResourceClaim/team/bytes", bytes);
    }

    DecisionRecord decisionRecord(String claim, long number, DecisionResult result) {
        var key = new ObjectKey("team", claim);
        return DecisionCodec.to(new Decision(key, "uid-" + claim, number, ItemId.claim(key), result), 0, now);
    }

    static DecisionResult.Allocated allocated(String... devices) {
        return allocatedOn(NODE, devices);
    }

    static DecisionResult.Allocated allocatedOn(String node, String... devices) {
        return new DecisionResult.Allocated(node, allocation(devices), List.of());
    }

    static DecisionResult.Allocated allocatedFor(String pod, String... devices) {
        return new DecisionResult.Allocated(NODE, allocation(devices), List.of(ClaimConsumer.pod(pod, "uid-" + pod)));
    }

    static DecisionResult.Pending pending() {
        return new DecisionResult.Pending(Reason.DevicesInUse, "0 free");
    }

    static DecisionResult.Released released() {
        return new DecisionResult.Released();
    }

    // ---- the hash chain, as its schema defines it

    LedgerEvent ledgerEvent(DecisionRecord record, byte[] previous, byte[] hash) {
        return LedgerEvent.newBuilder()
                .setCell(0)
                .setOffset(record.getNumber())
                .setIndex(0)
                .setAt(now)
                .setEvent("allocated")
                .setDecision(record)
                .setPreviousHash(ByteBuffer.wrap(previous))
                .setHash(ByteBuffer.wrap(hash))
                .build();
    }

    byte[] lastHash() {
        return lastHash.clone();
    }

    private byte[] bytes(LedgerEvent event) {
        byte[] framed = events.write(Topics.LEDGER, event);
        return Arrays.copyOfRange(framed, FRAME_BYTES, framed.length);
    }

    private static byte[] sha256(byte[] previous, byte[] open) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(previous);
            return digest.digest(open);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
