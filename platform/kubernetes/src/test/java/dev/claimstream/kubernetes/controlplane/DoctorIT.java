package dev.claimstream.kubernetes.controlplane;

import static dev.claimstream.kubernetes.controlplane.Claims.CLAIMS;
import static dev.claimstream.kubernetes.controlplane.Claims.CLASSES;
import static dev.claimstream.kubernetes.controlplane.Claims.DRIVER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiClusterExamination;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions.Gates;
import dev.claimstream.kubernetes.controlplane.RawApiClient.ApiResponse;
import dev.claimstream.kubernetes.doctor.ClusterDiagnosis;
import dev.claimstream.kubernetes.doctor.DoctorFinding;
import dev.claimstream.kubernetes.doctor.DoctorFinding.FindingStatus;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Findings of the doctor in a real cluster, intact and with each fault. */
class DoctorIT {
    private static final Path POLICIES = Path.of("..", "..", "deploy", "policies");
    private static final ControlPlaneOptions OPTIONS = ControlPlaneOptions.DEFAULT
            .without(ControlPlaneComponent.SCHEDULER)
            .without(ControlPlaneComponent.CONTROLLERS);

    private static List<DoctorFinding> look(ControlPlane plane, ControlPlaneUser who) {
        return ClusterDiagnosis.of(ApiClusterExamination.of(
                ApiAccess.of(plane.kubeconfig(who), Optional.empty()), true, InstantSource.system()));
    }

    private static DoctorFinding of(List<DoctorFinding> findings, String check) {
        return findings.stream()
                .filter(each -> each.check().equals(check))
                .findFirst()
                .orElseThrow(() -> new AssertionError(findings.toString()));
    }

    /** Diagnoses until the condition holds, because policies and rights take effect with a delay. */
    private static List<DoctorFinding> await(
            ControlPlane plane, ControlPlaneUser who, Predicate<List<DoctorFinding>> reached) {
        List<DoctorFinding> found = look(plane, who);
        for (int i = 0; i < 100 && !reached.test(found); i++) {
            found = look(plane, who);
        }
        return found;
    }

    private static boolean isWell(List<DoctorFinding> findings) {
        return findings.stream().allMatch(each -> each.status() == FindingStatus.OK);
    }

    private static ControlPlane furnished(ControlPlaneOptions options) {
        ControlPlane plane = Real.start(options);
        var admin = new RawApiClient(plane, ControlPlaneUser.ADMIN);
        plane.kubectl(ControlPlaneUser.ADMIN, "", "apply", "-f", POLICIES.toString());
        plane.kubectl(ControlPlaneUser.ADMIN, "", "label", "namespace", "default", "claimstream.dev/managed=true");
        admin.createOrThrow(CLASSES, Claims.deviceClass(DRIVER));
        admin.createOrThrow(CLASSES, Claims.deviceClass("mig.example.com"));
        admin.createOrThrow(Claims.SLICES, Claims.slice("node-0000", 8));
        return plane;
    }

    @Test
    void aClusterWithOurPoliciesIsWellAndEachBreakIsFound() {
        try (var plane = furnished(OPTIONS)) {
            var admin = new RawApiClient(plane, ControlPlaneUser.ADMIN);
            List<DoctorFinding> whole = await(plane, ControlPlaneUser.ADMIN, DoctorIT::isWell);
            assertThat(whole)
                    .allSatisfy(each ->
                            assertThat(each.status()).as(each.toString()).isEqualTo(FindingStatus.OK));
            assertThat(admin.get("/apis/resource.k8s.io/v1/resourceclaims").tree("items", 0))
                    .as("nothing is left behind")
                    .isEmpty();

            aPolicyIsMissing(plane, admin);
            aPolicyIsNotBound(plane, admin);
            aPolicyDoesNotDeny(plane);
            aRightIsMissing(plane, admin);
            aClassHasAnotherName(plane, admin);
            aDriverIsNotNamed(plane, admin);
            theWriterSeesThatItIsNotTheWatcher(plane);
            withoutTheListOfWhatIsOurs(plane, admin);
        }
    }

    private static void found(ControlPlane plane, String check, FindingStatus verdict, String says) {
        DoctorFinding finding =
                of(await(plane, ControlPlaneUser.ADMIN, all -> of(all, check).status() == verdict), check);
        assertThat(finding.status()).as(finding.toString()).isEqualTo(verdict);
        assertThat(finding.observation() + " " + finding.remedy()).contains(says);
    }

    private static void mended(ControlPlane plane) {
        plane.kubectl(ControlPlaneUser.ADMIN, "", "apply", "-f", POLICIES.toString());
        assertThat(isWell(await(plane, ControlPlaneUser.ADMIN, DoctorIT::isWell)))
                .isTrue();
    }

    private static void aPolicyIsMissing(ControlPlane plane, RawApiClient admin) {
        admin.delete("/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies/claimstream-gate");
        found(plane, "policy claimstream-gate", FindingStatus.FAILED, "is not there");
        mended(plane);
    }

    private static void aPolicyIsNotBound(ControlPlane plane, RawApiClient admin) {
        admin.delete(
                "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/claimstream-no-mixed-claims");
        found(plane, "policy claimstream-no-mixed-claims", FindingStatus.FAILED, "no binding");
        mended(plane);
    }

    /** The policy exists and is bound, but always allows. */
    private static void aPolicyDoesNotDeny(ControlPlane plane) {
        plane.kubectl(
                ControlPlaneUser.ADMIN,
                "",
                "patch",
                "validatingadmissionpolicy",
                "claimstream-single-writer",
                "--type=json",
                "-p",
                "[{\"op\":\"replace\",\"path\":\"/spec/validations/0/expression\",\"value\":\"true\"}]");
        found(
                plane,
                "policy claimstream-single-writer",
                FindingStatus.FAILED,
                "lets through an allocation of ours by another");
        mended(plane);
    }

    private static void aRightIsMissing(ControlPlane plane, RawApiClient admin) {
        admin.delete("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/claimstream-binding");
        found(plane, "right to bind", FindingStatus.FAILED, "ClusterRoleBinding");
        found(plane, "status of a claim", FindingStatus.FAILED, "resourceclaims/binding");
        admin.delete("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/claimstream-watcher");
        found(plane, "rights of the watcher", FindingStatus.FAILED, "list resourceslices");
        admin.delete("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/claimstream-writer");
        found(plane, "rights of the writer", FindingStatus.FAILED, "patch resourceclaims/status");
        mended(plane);
    }

    private static void aClassHasAnotherName(ControlPlane plane, RawApiClient admin) {
        String policy =
                "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/claimstream-no-extended-resource-names";
        admin.delete(policy);
        Asked.until(
                admin,
                "/healthz",
                _ -> admin.mergePatch(
                                        CLASSES + "/" + DRIVER,
                                        "{\"spec\":{\"extendedResourceName\":\"example.com/gpu\"}}")
                                .status()
                        == 200);
        found(plane, "extended resource names", FindingStatus.FAILED, "kubectl patch deviceclass gpu.example.com");
        plane.kubectl(
                ControlPlaneUser.ADMIN,
                "",
                "patch",
                "deviceclass",
                DRIVER,
                "--type=json",
                "-p",
                "[{\"op\":\"remove\",\"path\":\"/spec/extendedResourceName\"}]");
        mended(plane);
    }

    private static void aDriverIsNotNamed(ControlPlane plane, RawApiClient admin) {
        ApiResponse claim = admin.createOrThrow(CLAIMS, Claims.claim("elsewhere"));
        String given =
                Claims.commit(claim, Claims.allocation("node-0000", "nic-0").replace(DRIVER, "nic.example.com"));
        assertThat(admin.patch(Claims.status("elsewhere"), given).status()).isEqualTo(200);
        found(plane, "what is ours", FindingStatus.FAILED, "devices of nic.example.com, which the drivers");
        assertThat(admin.patch(Claims.status("elsewhere"), "{\"status\":{\"allocation\":null}}")
                        .status())
                .isEqualTo(200);
        mended(plane);
    }

    private static void theWriterSeesThatItIsNotTheWatcher(ControlPlane plane) {
        List<DoctorFinding> found = look(plane, ControlPlaneUser.WRITER);
        assertThat(of(found, "rights of one process").status()).isEqualTo(FindingStatus.FAILED);
        assertThat(of(found, "right to bind").status()).isEqualTo(FindingStatus.OK);
        assertThat(of(found, "policy claimstream-gate").status()).isEqualTo(FindingStatus.WARNING);
        assertThat(found).noneMatch(each -> each.check().startsWith("policy") && each.status() == FindingStatus.FAILED);
        plane.kubectl(
                ControlPlaneUser.ADMIN,
                "",
                "apply",
                "-f",
                POLICIES.resolve("one-process").toString());
        await(
                plane,
                ControlPlaneUser.WRITER,
                all -> of(all, "rights of one process").status() == FindingStatus.OK);
        assertThat(look(plane, ControlPlaneUser.WRITER)).noneMatch(each -> each.status() == FindingStatus.FAILED);
    }

    private static void withoutTheListOfWhatIsOurs(ControlPlane plane, RawApiClient admin) {
        ApiResponse claim = admin.createOrThrow(CLAIMS, Claims.claim("waits"));
        assertThat(claim.uid()).isNotEmpty();
        admin.delete("/api/v1/namespaces/claimstream/configmaps/claimstream-managed");
        found(plane, "what is ours", FindingStatus.FAILED, "is not there");
        found(plane, "policy claimstream-no-mixed-claims", FindingStatus.WARNING, "see what is ours");
        mended(plane);
    }

    @Test
    void gatesThatAreOffAreFound() {
        try (var plane = furnished(OPTIONS.with(Gates.OFF))) {
            List<DoctorFinding> found = look(plane, ControlPlaneUser.ADMIN);
            for (String gate : List.of(
                    "DRAPartitionableDevices",
                    "DRAConsumableCapacity",
                    "DRADeviceTaints",
                    "DRADeviceBindingConditions",
                    "DRAExtendedResource")) {
                DoctorFinding finding = of(found, "gate " + gate);
                assertThat(finding.status()).as(finding.toString()).isEqualTo(FindingStatus.WARNING);
                assertThat(finding.remedy()).contains("--features " + gate + "=false");
            }
        }
    }

    @Test
    void gatesThatAreOnBeyondTheDefaultAreFound() {
        try (var plane = furnished(OPTIONS.with(Gates.ALL))) {
            List<DoctorFinding> found = look(plane, ControlPlaneUser.ADMIN);
            for (String gate : List.of(
                    "DRAListTypeAttributes",
                    "DRADeviceTaintRules",
                    "DRANodeAllocatableResources",
                    "DRAWorkloadResourceClaims")) {
                DoctorFinding finding = of(found, "gate " + gate);
                assertThat(finding.status()).as(finding.toString()).isEqualTo(FindingStatus.WARNING);
                assertThat(finding.observation()).startsWith("on");
            }
        }
    }
}
