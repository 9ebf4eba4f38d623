package dev.claimstream.writer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.AllocationConfig;
import dev.claimstream.dra.AllocationConfig.AllocationConfigSource;
import dev.claimstream.dra.ClaimConfig;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ConfigReference;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.OpaqueConfig;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.ClaimStatusClient.StatusChange;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteScope;
import dev.claimstream.kubernetes.VersionedObject;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Parameters of claims and classes for allocations that have references. */
final class ParameterLookupTest {
    private static final String DRIVER = "gpu.example.com";
    private static final OpaqueConfig OF_CLAIM = new OpaqueConfig(DRIVER, "{\"mode\":\"claim\"}");
    private static final OpaqueConfig OF_CLASS = new OpaqueConfig(DRIVER, "{\"mode\":\"class\"}");
    private static final OpaqueConfig RECORDED = new OpaqueConfig("nic.example.com", "{\"mtu\":9000}");

    /** A cluster with device classes only. */
    private static final class ClassServer implements ClaimStatusClient {
        private final Map<String, VersionedObject> classes = new HashMap<>();
        private int readCount;

        private void put(long version, OpaqueConfig... config) {
            var meta = ObjectMeta.of("", "gpu", "c");
            classes.put(
                    "gpu",
                    new VersionedObject(new DeviceClass(meta, List.of(), List.of(config), Optional.empty()), version));
        }

        @Override
        public Optional<VersionedObject> readClass(String name) {
            readCount++;
            return Optional.ofNullable(classes.get(name));
        }

        @Override
        public Optional<VersionedObject> read(ObjectKey claim) {
            throw new IllegalStateException("the caller has read the claim");
        }

        @Override
        public WriteResult write(StatusChange change) {
            throw new IllegalStateException("the caller writes");
        }
    }

    private final ClassServer server = new ClassServer();
    private long nanos;
    private final ParameterLookup lookup = new ParameterLookup(server, () -> nanos);

    private static AllocationConfig entry(OpaqueConfig opaque) {
        return new AllocationConfig(AllocationConfigSource.FROM_CLAIM, List.of("gpu"), opaque);
    }

    private static AllocationConfig entry(ConfigReference reference) {
        return entry(reference.replaceParameters(OF_CLAIM));
    }

    private static StatusChange change(AllocationConfig... config) {
        Allocation gpu = DecisionSamples.gpu("gpu-0");
        var allocation = new Allocation(gpu.results(), List.of(config), gpu.nodeSelector(), gpu.allocationTimestamp());
        return StatusChange.allocate(DecisionSamples.CLAIM, "u", 7, allocation, List.of(DecisionSamples.P));
    }

    private CommitStep complete(AllocationConfig... config) {
        var spec = new ClaimSpec(
                List.of(),
                List.of(),
                List.of(new ClaimConfig(List.of(), RECORDED), new ClaimConfig(List.of("gpu"), OF_CLAIM)));
        ObjectMeta meta = ObjectMeta.of("team", "a", "u");
        return lookup.complete(change(config), Optional.of(new ResourceClaim(meta, spec, Optional.empty(), List.of())));
    }

    private static void assertWrites(CommitStep step, OpaqueConfig... expected) {
        StatusChange wanted =
                change(Arrays.stream(expected).map(ParameterLookupTest::entry).toArray(AllocationConfig[]::new));
        assertThat(step).isEqualTo(new CommitStep.Write(wanted));
    }

    @Test
    void writesParametersOfClaimAndClassInOrder() {
        server.put(12, OF_CLASS);
        assertWrites(
                complete(
                        entry(new ConfigReference.ClassConfigEntry("gpu", 12, 0)),
                        entry(RECORDED),
                        entry(new ConfigReference.ClaimConfigEntry(1))),
                OF_CLASS,
                RECORDED,
                OF_CLAIM);
    }

    @Test
    void readsClassOncePerVersion() {
        server.put(12, OF_CLASS);
        AllocationConfig reference = entry(new ConfigReference.ClassConfigEntry("gpu", 12, 0));
        assertWrites(complete(reference, reference), OF_CLASS, OF_CLASS);
        assertWrites(complete(reference), OF_CLASS);
        assertThat(server.readCount).isEqualTo(1);
        server.put(13, RECORDED, OF_CLASS);
        assertWrites(complete(entry(new ConfigReference.ClassConfigEntry("gpu", 13, 1))), OF_CLASS);
        assertThat(server.readCount).isEqualTo(2);
    }

    /** A restored etcd counts versions from an earlier one, so a version can come again with other parameters. */
    @Test
    void readsClassAgainBeforeWritesAfterRestore() {
        server.put(12, RECORDED, OF_CLASS);
        AllocationConfig reference = entry(new ConfigReference.ClassConfigEntry("gpu", 12, 0));
        nanos = Duration.ofHours(1).toNanos();
        assertThat(complete(reference)).isInstanceOf(CommitStep.AdvanceVersion.class);
        server.put(12, OF_CLASS);
        nanos += Duration.ofSeconds(10).toNanos();
        assertWrites(complete(reference), OF_CLASS);
        assertThat(server.readCount).isEqualTo(2);
    }

    @Test
    void pausesWhileWatchLagsBehindClass() {
        server.put(13, OF_CLASS);
        AllocationConfig reference = entry(new ConfigReference.ClassConfigEntry("gpu", 12, 0));
        assertDecidedAgain(complete(reference));
        for (long millis : List.of(100L, 200L, 400L, 800L, 1_600L, 3_200L, 5_000L, 5_000L)) {
            assertThat(complete(reference)).isInstanceOfSatisfying(CommitStep.Completion.class, waiting -> {
                assertThat(waiting.outcome().isRetriable()).isTrue();
                assertThat(waiting.outcome().pause()).isEqualTo(Duration.ofMillis(millis));
                assertThat(waiting.outcome().message()).contains("DeviceClass gpu", "the watch of the cluster lags");
            });
            nanos += Duration.ofMillis(millis).toNanos() - 1;
            assertThat(complete(reference)).isInstanceOf(CommitStep.Completion.class);
            nanos++;
            assertDecidedAgain(complete(reference));
        }
        assertWrites(complete(entry(new ConfigReference.ClassConfigEntry("gpu", 13, 0))), OF_CLASS);
        server.put(14, OF_CLASS);
        nanos += Duration.ofSeconds(10).toNanos();
        assertDecidedAgain(complete(entry(new ConfigReference.ClassConfigEntry("gpu", 13, 0))));
    }

    /** The write of the redecision failed, so the cell has not been asked: the next attempt names the cause of the failure. */
    @Test
    void doesNotPauseAfterFailedRedecision() {
        server.put(13, OF_CLASS);
        AllocationConfig reference = entry(new ConfigReference.ClassConfigEntry("gpu", 12, 0));
        assertThat(complete(reference)).isInstanceOf(CommitStep.Redecision.class);
        assertDecidedAgain(complete(reference));
        assertThat(complete(reference)).isInstanceOf(CommitStep.Completion.class);
    }

    @Test
    void decidesAgainAfterChangeOfClass() {
        server.put(13, OF_CLASS);
        assertDecidedAgain(complete(entry(new ConfigReference.ClassConfigEntry("gpu", 12, 0))));
        assertDecidedAgain(complete(entry(new ConfigReference.ClassConfigEntry("gpu", 14, 0))));
        server.classes.clear();
        assertDecidedAgain(complete(entry(new ConfigReference.ClassConfigEntry("gpu", 12, 0))));
        assertDecidedAgain(complete(entry(new ConfigReference.StatusConfigEntry(0))));
    }

    /** Checks the step, and records that its write has succeeded. */
    private void assertDecidedAgain(CommitStep step) {
        assertThat(step).isInstanceOfSatisfying(CommitStep.Redecision.class, again -> {
            lookup.recordRedecision(again);
            assertThat(again.change().scope()).isEqualTo(WriteScope.VERSION);
            assertThat(again.change().version()).isEqualTo(7);
            assertThat(again.reason()).contains("decided again");
        });
    }

    @Test
    void rejectsReferenceToMissingEntryOrOtherDriver() {
        server.put(12, RECORDED);
        for (ConfigReference each : List.of(
                new ConfigReference.ClaimConfigEntry(2),
                new ConfigReference.ClaimConfigEntry(0),
                new ConfigReference.ClassConfigEntry("gpu", 12, 0))) {
            assertThat(complete(entry(each)))
                    .isInstanceOfSatisfying(
                            CommitStep.AdvanceVersion.class,
                            rejected -> assertThat(rejected.reason()).contains("config[", "driver gpu.example.com"));
        }
    }

    @Test
    void keepsChangeWithoutAllocation() {
        StatusChange cleared = StatusChange.deallocate(DecisionSamples.CLAIM, "u", 7);
        assertThat(lookup.complete(cleared, Optional.empty())).isEqualTo(new CommitStep.Write(cleared));
        StatusChange reserved = StatusChange.reserve(
                DecisionSamples.CLAIM,
                "u",
                7,
                change(entry(new ConfigReference.StatusConfigEntry(0)))
                        .allocation()
                        .orElseThrow(),
                List.of());
        assertThat(lookup.complete(reserved, Optional.empty())).isEqualTo(new CommitStep.Write(reserved));
    }
}
