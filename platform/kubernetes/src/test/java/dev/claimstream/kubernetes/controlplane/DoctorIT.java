package dev.claimstream.kubernetes.controlplane;

import static dev.claimstream.kubernetes.controlplane.Claims.CLAIMS;
import static dev.claimstream.kubernetes.controlplane.Claims.CLASSES;
import static dev.claimstream.kubernetes.controlplane.Claims.DRIVER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiExamination;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions.Gates;
import dev.claimstream.kubernetes.controlplane.PlainApi.Answer;
import dev.claimstream.kubernetes.doctor.Diagnosis;
import dev.claimstream.kubernetes.doctor.Finding;
import dev.claimstream.kubernetes.doctor.Finding.Verdict;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** What is found of a real cluster, whole and broken. */
class DoctorIT {
    private static final Path POLICIES = Path.of("..", "..", "deploy", "policies");
    private static final ControlPlaneOptions OPTIONS =
            ControlPlaneOptions.DEFAULT.without(Part.SCHEDULER).without(Part.CONTROLLERS);

    private static List<Finding> look(ControlPlane plane, Identity who) {
        return Diagnosis.of(
                ApiExamination.of(ApiAccess.of(plane.kubeconfig(who), Optional.empty()), true, InstantSource.system()));
    }

    private static Finding of(List<Finding> findings, String check) {
        return findings.stream()
                .filter(each -> each.check().equals(check))
                .findFirst()
                .orElseThrow(() -> new AssertionError(findings.toString()));
    }

    /** Policies and rights count from some moment on. */
    private static List<Finding> await(ControlPlane plane, Identity who, Predicate<List<Finding>> reached) {
        List<Finding> found = look(plane, who);
        for (int i = 0; i < 100 && !reached.test(found); i++) {
            found = look(plane, who);
        }
        return found;
    }

    private static boolean isWell(List<Finding> findings) {
        return findings.stream().allMatch(each -> each.verdict() == Verdict.OK);
    }

    private static ControlPlane furnished(ControlPlaneOptions options) {
        ControlPlane plane = Real.start(options);
        var admin = new PlainApi(plane, Identity.ADMIN);
        plane.kubectl(Identity.ADMIN, "", "apply", "-f", POLICIES.toString());
        plane.kubectl(Identity.ADMIN, "", "label", "namespace", "default", "claimstream.dev/managed=true");
        admin.make(CLASSES, Claims.deviceClass(DRIVER));
        admin.make(CLASSES, Claims.deviceClass("mig.example.com"));
        admin.make(Claims.SLICES, Claims.slice("node-0000", 8));
        return plane;
    }

    @Test
    void aClusterWithOurPoliciesIsWellAndEachBreakIsFound() {
        try (var plane = furnished(OPTIONS)) {
            var admin = new PlainApi(plane, Identity.ADMIN);
            List<Finding> whole = await(plane, Identity.ADMIN, DoctorIT::isWell);
            assertThat(whole)
                    .allSatisfy(each ->
                            assertThat(each.verdict()).as(each.toString()).isEqualTo(Verdict.OK));
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

    private static void found(ControlPlane plane, String check, Verdict verdict, String says) {
        Finding finding = of(await(plane, Identity.ADMIN, all -> of(all, check).verdict() == verdict), check);
        assertThat(finding.verdict()).as(finding.toString()).isEqualTo(verdict);
        assertThat(finding.seen() + " " + finding.remedy()).contains(says);
    }

    private static void mended(ControlPlane plane) {
        plane.kubectl(Identity.ADMIN, "", "apply", "-f", POLICIES.toString());
        assertThat(isWell(await(plane, Identity.ADMIN, DoctorIT::isWell))).isTrue();
    }

    private static void aPolicyIsMissing(ControlPlane plane, PlainApi admin) {
        admin.delete("/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies/claimstream-gate");
        found(plane, "policy claimstream-gate", Verdict.FAILED, "is not there");
        mended(plane);
    }

    private static void aPolicyIsNotBound(ControlPlane plane, PlainApi admin) {
        admin.delete(
                "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/claimstream-no-mixed-claims");
        found(plane, "policy claimstream-no-mixed-claims", Verdict.FAILED, "no binding");
        mended(plane);
    }

    /** There and bound, and what it says is nothing. */
    private static void aPolicyDoesNotDeny(ControlPlane plane) {
        plane.kubectl(
                Identity.ADMIN,
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
                Verdict.FAILED,
                "lets through an allocation of ours by another");
        mended(plane);
    }

    private static void aRightIsMissing(ControlPlane plane, PlainApi admin) {
        admin.delete("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/claimstream-binding");
        found(plane, "right to bind", Verdict.FAILED, "ClusterRoleBinding");
        found(plane, "status of a claim", Verdict.FAILED, "resourceclaims/binding");
        admin.delete("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/claimstream-watcher");
        found(plane, "rights of the watcher", Verdict.FAILED, "list resourceslices");
        admin.delete("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/claimstream-writer");
        found(plane, "rights of the writer", Verdict.FAILED, "patch resourceclaims/status");
        mended(plane);
    }

    private static void aClassHasAnotherName(ControlPlane plane, PlainApi admin) {
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
        found(plane, "extended resource names", Verdict.FAILED, "kubectl patch deviceclass gpu.example.com");
        plane.kubectl(
                Identity.ADMIN,
                "",
                "patch",
                "deviceclass",
                DRIVER,
                "--type=json",
                "-p",
                "[{\"op\":\"remove\",\"path\":\"/spec/extendedResourceName\"}]");
        mended(plane);
    }

    private static void aDriverIsNotNamed(ControlPlane plane, PlainApi admin) {
        Answer claim = admin.make(CLAIMS, Claims.claim("elsewhere"));
        String given =
                Claims.commit(claim, Claims.allocation("node-0000", "nic-0").replace(DRIVER, "nic.example.com"));
        assertThat(admin.patch(Claims.status("elsewhere"), given).status()).isEqualTo(200);
        found(plane, "what is ours", Verdict.FAILED, "devices of nic.example.com, which the drivers");
        assertThat(admin.patch(Claims.status("elsewhere"), "{\"status\":{\"allocation\":null}}")
                        .status())
                .isEqualTo(200);
        mended(plane);
    }

    private static void theWriterSeesThatItIsNotTheWatcher(ControlPlane plane) {
        List<Finding> found = look(plane, Identity.WRITER);
        assertThat(of(found, "rights of one process").verdict()).isEqualTo(Verdict.FAILED);
        assertThat(of(found, "right to bind").verdict()).isEqualTo(Verdict.OK);
        assertThat(of(found, "policy claimstream-gate").verdict()).isEqualTo(Verdict.WARNING);
        assertThat(found).noneMatch(each -> each.check().startsWith("policy") && each.verdict() == Verdict.FAILED);
        plane.kubectl(
                Identity.ADMIN,
                "",
                "apply",
                "-f",
                POLICIES.resolve("one-process").toString());
        await(plane, Identity.WRITER, all -> of(all, "rights of one process").verdict() == Verdict.OK);
        assertThat(look(plane, Identity.WRITER)).noneMatch(each -> each.verdict() == Verdict.FAILED);
    }

    private static void withoutTheListOfWhatIsOurs(ControlPlane plane, PlainApi admin) {
        Answer claim = admin.make(CLAIMS, Claims.claim("waits"));
        assertThat(claim.uid()).isNotEmpty();
        admin.delete("/api/v1/namespaces/claimstream/configmaps/claimstream-managed");
        found(plane, "what is ours", Verdict.FAILED, "is not there");
        found(plane, "policy claimstream-no-mixed-claims", Verdict.WARNING, "see what is ours");
        mended(plane);
    }

    @Test
    void gatesThatAreOffAreFound() {
        try (var plane = furnished(OPTIONS.with(Gates.OFF))) {
            List<Finding> found = look(plane, Identity.ADMIN);
            for (String gate : List.of(
                    "DRAPartitionableDevices",
                    "DRAConsumableCapacity",
                    "DRADeviceTaints",
                    "DRADeviceBindingConditions",
                    "DRAExtendedResource")) {
                Finding finding = of(found, "gate " + gate);
                assertThat(finding.verdict()).as(finding.toString()).isEqualTo(Verdict.WARNING);
                assertThat(finding.remedy()).contains("--features " + gate + "=false");
            }
        }
    }

    @Test
    void gatesThatAreOnBeyondTheDefaultAreFound() {
        try (var plane = furnished(OPTIONS.with(Gates.ALL))) {
            List<Finding> found = look(plane, Identity.ADMIN);
            for (String gate : List.of(
                    "DRAListTypeAttributes",
                    "DRADeviceTaintRules",
                    "DRANodeAllocatableResources",
                    "DRAWorkloadResourceClaims")) {
                Finding finding = of(found, "gate " + gate);
                assertThat(finding.verdict()).as(finding.toString()).isEqualTo(Verdict.WARNING);
                assertThat(finding.seen()).startsWith("on");
            }
        }
    }
}
