package dev.claimstream.watcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.AllocationConfig;
import dev.claimstream.dra.ClaimConfig;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.ConfigReference;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.OpaqueConfig;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.kubernetes.VersionedObject;
import dev.claimstream.wire.PublicRecord;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Records of claims, templates and classes with secret parameters. */
final class ConfigRecordingTest {
    private static final String SECRET = "hunter2";
    private static final OpaqueConfig SECRET_CONFIG =
            new OpaqueConfig("gpu.example.com", "{\"password\":\"%s\"}".formatted(SECRET));
    private static final OpaqueConfig PLAIN_CONFIG = new OpaqueConfig("nic.example.com", "{\"mtu\":9000}");
    private static final ObjectMeta META = ObjectMeta.of("team", "a", "u");
    private static final ClaimSpec SPEC = new ClaimSpec(
            List.of(),
            List.of(),
            List.of(new ClaimConfig(List.of(), PLAIN_CONFIG), new ClaimConfig(List.of("gpu"), SECRET_CONFIG)));

    private static List<ClusterObject> objects() {
        var status =
                new AllocationConfig(AllocationConfig.AllocationConfigSource.FROM_CLAIM, List.of("gpu"), SECRET_CONFIG);
        var allocation = new Allocation(List.of(), List.of(status), Optional.empty(), Optional.empty());
        return List.of(
                new ResourceClaim(META, SPEC, Optional.empty(), List.of()),
                new ResourceClaim(META, SPEC, Optional.of(allocation), List.of()),
                new ResourceClaim(
                        META, new ClaimSpec(List.of(), List.of(), List.of()), Optional.of(allocation), List.of()),
                new ResourceClaimTemplate(META, new TreeMap<>(), new TreeMap<>(), SPEC),
                new DeviceClass(
                        ObjectMeta.of("", "gpu.example.com", "c"),
                        List.of(),
                        List.of(SECRET_CONFIG),
                        Optional.empty()));
    }

    private static ClusterObject recorded(ClusterObject object, String... drivers) {
        return new ConfigRecording(List.of(drivers)).recorded(new VersionedObject(object, 42));
    }

    private static String published(ClusterObject object) {
        SpecificRecord value = switch (PublicRecord.upsert(new Stamp("watcher", 1, 42), object)) {
            case PublicRecord.InventoryTopicRecord inventory -> inventory.value();
            case PublicRecord.ClaimsTopicRecord claims -> claims.value();
        };
        return value.toString();
    }

    @ParameterizedTest
    @MethodSource("objects")
    void recordHasNoParametersOfOtherDrivers(ClusterObject object) {
        assertThat(published(object)).contains(SECRET);
        assertThat(published(recorded(object)))
                .doesNotContain(SECRET, "password", "9000")
                .contains("claimstream.dev/not-recorded", "gpu.example.com");
        assertThat(published(recorded(object, "nic.example.com"))).doesNotContain(SECRET);
    }

    @ParameterizedTest
    @MethodSource("objects")
    void recordHasParametersOfListedDrivers(ClusterObject object) {
        assertThat(recorded(object, ConfigRecording.ALL_DRIVERS)).isEqualTo(object);
        assertThat(recorded(object, "gpu.example.com", "nic.example.com")).isEqualTo(object);
    }

    @Test
    void referencesNameTheirPlace() {
        var claim = (ResourceClaim) recorded(objects().get(1), "nic.example.com");
        assertThat(claim.spec().config()).extracting(ClaimConfig::requests).containsExactly(List.of(), List.of("gpu"));
        assertThat(claim.spec().config().getFirst().opaque()).isEqualTo(PLAIN_CONFIG);
        assertThat(ConfigReference.of(claim.spec().config().getLast().opaque()))
                .contains(new ConfigReference.ClaimConfigEntry(1));
        assertThat(claim.allocation().orElseThrow().config()).singleElement().satisfies(each -> {
            assertThat(each.requests()).containsExactly("gpu");
            assertThat(ConfigReference.of(each.opaque())).contains(new ConfigReference.StatusConfigEntry(0));
        });
        var deviceClass = (DeviceClass) recorded(objects().getLast());
        assertThat(ConfigReference.of(deviceClass.config().getFirst()))
                .contains(new ConfigReference.ClassConfigEntry("gpu.example.com", 42, 0));
    }
}
