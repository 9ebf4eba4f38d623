package dev.claimstream.kubernetes.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kubernetes.doctor.DoctorFinding.FindingStatus;
import dev.claimstream.kubernetes.doctor.LookupResult.Failure;
import dev.claimstream.kubernetes.doctor.LookupResult.Value;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests the checks of classes if all claims of a cluster are managed. */
class AllClaimsDiagnosisTest {
    private final HealthyClusterFacts is = new HealthyClusterFacts();

    private DoctorFinding finding(String check) {
        return ClusterDiagnosis.ofAllClaims(is.facts()).stream()
                .filter(each -> each.check().equals(check))
                .findFirst()
                .orElseThrow();
    }

    private void assertClasses(FindingStatus status, String text) {
        DoctorFinding classes = finding("device classes");
        assertThat(classes.status()).as(classes.toString()).isEqualTo(status);
        assertThat(classes.observation() + " " + classes.remedy()).contains(text);
    }

    @Test
    void configuredClassNeedNotExist() {
        is.classes = new Value<>(new TreeMap<>(Map.of("other", Optional.empty())));
        assertClasses(FindingStatus.OK, "all 1 classes are managed (--all-claims)");
    }

    @Test
    void warnsIfNoClassExists() {
        is.classes = new Value<>(new TreeMap<>());
        assertClasses(FindingStatus.WARNING, "no DeviceClass exists: no claim can be allocated");
    }

    @Test
    void warnsOfDriverThatPoliciesDoNotProtect() {
        is.drivers = new Value<>(List.of("gpu.example.com", "nic.example.com"));
        assertClasses(FindingStatus.WARNING, "devices of nic.example.com, which is not in the drivers of ConfigMap");
    }

    @Test
    void warnsIfClassesCannotBeRead() {
        is.classes = new Failure<>("no");
        assertClasses(FindingStatus.WARNING, "administrator");
    }

    @Test
    void noClassMayHaveExtendedResourceName() {
        is.classes = new Value<>(new TreeMap<>(Map.of("other", Optional.of("a/b"))));
        DoctorFinding found = finding("extended resource names");
        assertThat(found.status()).isEqualTo(FindingStatus.FAILED);
        assertThat(found.remedy()).contains("kubectl patch deviceclass other");
    }
}
