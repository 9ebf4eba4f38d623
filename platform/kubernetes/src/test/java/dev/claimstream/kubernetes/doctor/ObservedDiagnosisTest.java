package dev.claimstream.kubernetes.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kubernetes.doctor.ClusterFacts.PolicyFacts;
import dev.claimstream.kubernetes.doctor.DoctorFinding.FindingStatus;
import dev.claimstream.kubernetes.doctor.LookupResult.Failure;
import dev.claimstream.kubernetes.doctor.LookupResult.NotFound;
import dev.claimstream.kubernetes.doctor.LookupResult.Value;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the checks of a cluster in which Claimstream only observes. */
class ObservedDiagnosisTest {
    private final HealthyClusterFacts is = new HealthyClusterFacts();

    private DoctorFinding gate() {
        return ClusterDiagnosis.ofObserved(is.facts()).stream()
                .filter(each -> each.check().equals("policy claimstream-gate"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void failsIfGateIsBound() {
        assertThat(gate().status()).isEqualTo(FindingStatus.FAILED);
        assertThat(gate().observation()).contains("Claimstream only observes: pods with claims stay gated");
        assertThat(gate().remedy()).isEqualTo("claimstream leave --kubeconfig FILE");
    }

    @Test
    void acceptsClusterWithoutPolicies() {
        for (AdmissionPolicy policy : AdmissionPolicy.values()) {
            is.policies.put(policy, new PolicyFacts(new NotFound<>(), new Value<>(List.of()), List.of()));
        }
        assertThat(ClusterDiagnosis.ofObserved(is.facts()))
                .filteredOn(each -> each.check().startsWith("policy "))
                .hasSize(AdmissionPolicy.values().length)
                .allMatch(each -> each.status() == FindingStatus.OK);
        assertThat(ClusterDiagnosis.ofObserved(is.facts()))
                .noneMatch(each ->
                        each.check().contains("of the writer") || each.check().equals("managed configuration"));
    }

    @Test
    void warnsIfBindingsCannotBeRead() {
        is.policies.put(
                AdmissionPolicy.GATE, new PolicyFacts(new NotFound<>(), new Failure<>("not allowed"), List.of()));
        assertThat(gate().status()).isEqualTo(FindingStatus.WARNING);
        assertThat(gate().observation()).contains("not allowed");
    }
}
