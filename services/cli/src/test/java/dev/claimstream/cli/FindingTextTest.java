package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kubernetes.doctor.ClusterDiagnosis;
import dev.claimstream.kubernetes.doctor.DoctorFinding;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Tests the findings of doctor in a pipe and in a narrow terminal. */
class FindingTextTest {
    private static final List<DoctorFinding> FINDINGS = List.of(
            DoctorFinding.ok("clock", "1 s behind"),
            DoctorFinding.failed(
                    "policy single-writer.claimstream.dev",
                    "it has no binding, so it rejects nothing",
                    "apply it: kubectl apply -f deploy/policies/claimstream-single-writer.yaml"));

    @Test
    void printsOneLinePerFindingInPipe() {
        assertThat(FindingText.of(FINDINGS, OptionalInt.empty()).lines())
                .containsExactly(
                        "ok       clock                                 1 s behind",
                        "failed   policy single-writer.claimstream.dev  it has no binding, so it rejects nothing"
                                + " → apply it: kubectl apply -f deploy/policies/claimstream-single-writer.yaml");
    }

    @Test
    void combinesChecksThatNeedAdministrator() {
        var gate = DoctorFinding.warning("gate A", "the dry run returned 403", ClusterDiagnosis.ADMIN_REMEDY);
        var policy = DoctorFinding.warning("policy b", "not checked", ClusterDiagnosis.ADMIN_REMEDY);
        var drivers = DoctorFinding.warning("managed drivers", "none", "correct the name");
        assertThat(FindingText.of(FindingText.combined(List.of(gate, drivers, policy)), OptionalInt.empty())
                        .lines())
                .containsExactly(
                        "warning  2 checks         need the permissions of an administrator: gate A, policy b"
                                + " → run doctor again with the kubeconfig of an administrator; -o json prints what each of them found",
                        "warning  managed drivers  none → correct the name");
        assertThat(FindingText.combined(List.of(gate, drivers))).containsExactly(gate, drivers);
    }

    @Test
    void printsRemedyBelowInNarrowTerminal() {
        assertThat(FindingText.of(FINDINGS, OptionalInt.of(80)).lines())
                .containsExactly(
                        "ok       clock                                 1 s behind",
                        "failed   policy single-writer.claimstream.dev  it has no binding, so it rejects",
                        "         nothing",
                        "         → apply it:",
                        "           kubectl apply -f deploy/policies/claimstream-single-writer.yaml");
    }
}
