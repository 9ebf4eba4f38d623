package dev.claimstream.kubernetes.controlplane;

import static dev.claimstream.kubernetes.controlplane.ClaimManifests.CLAIMS;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.CLASSES;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.DRIVER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.KubernetesVersion;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Findings of the doctor in a real cluster, intact and with each fault. */
class DoctorIT {
    private static final Path POLICIES = Path.of("..", "..", "deploy", "policies");
    private static final ControlPlaneOptions OPTIONS = ControlPlaneOptions.DEFAULT
            .without(ControlPlaneComponent.SCHEDULER)
            .without(ControlPlaneComponent.CONTROLLERS);

    private static List<DoctorFinding> diagnose(ControlPlane plane, ControlPlaneUser who) {
        return ClusterDiagnosis.of(ApiClusterExamination.of(
                ApiAccess.of(plane.kubeconfig(who), Optional.empty()), true, InstantSource.system(), _ -> {}));
    }

    private static DoctorFinding findingOf(List<DoctorFinding> findings, String check) {
        return findings.stream()
                .filter(each -> each.check().equals(check))
                .findFirst()
                .orElseThrow(() -> new AssertionError(findings.toString()));
    }

    /** Diagnoses until the condition holds, because policies and rights take effect with a delay. */
    private static List<DoctorFinding> await(
            ControlPlane plane, ControlPlaneUser who, Predicate<List<DoctorFinding>> reached) {
        List<DoctorFinding> found = diagnose(plane, who);
        for (int i = 0; i < 100 && !reached.test(found); i++) {
            ApiPoller.pause();
            found = diagnose(plane, who);
        }
        return found;
    }

    private static boolean isOk(List<DoctorFinding> findings) {
        return findings.stream().allMatch(each -> each.status() == FindingStatus.OK);
    }

    private static ControlPlane startWithPolicies(ControlPlaneOptions options) {
        ControlPlane plane = TestControlPlane.start(options);
        var admin = new RawApiClient(plane, ControlPlaneUser.ADMIN);
        plane.kubectl(ControlPlaneUser.ADMIN, "", "apply", "-f", POLICIES.toString());
        plane.kubectl(ControlPlaneUser.ADMIN, "", "label", "namespace", "default", "claimstream.dev/managed=true");
        admin.createOrThrow(CLASSES, ClaimManifests.deviceClass(DRIVER));
        admin.createOrThrow(CLASSES, ClaimManifests.deviceClass("mig.example.com"));
        admin.createOrThrow(ClaimManifests.SLICES, ClaimManifests.slice("node-0000", 8));
        return plane;
    }

    @Test
    void reportsOkWithPoliciesAndFindsEachBreak() {
        try (var plane = startWithPolicies(OPTIONS)) {
            var admin = new RawApiClient(plane, ControlPlaneUser.ADMIN);
            List<DoctorFinding> whole = await(plane, ControlPlaneUser.ADMIN, DoctorIT::isOk);
            assertThat(whole)
                    .allSatisfy(each ->
                            assertThat(each.status()).as(each.toString()).isEqualTo(FindingStatus.OK));
            assertThat(admin.get("/apis/resource.k8s.io/v1/resourceclaims").tree("items", 0))
                    .as("nothing is left behind")
                    .isEmpty();

            checkMissingPolicy(plane, admin);
            checkPodsOfWriter(plane, admin);
            checkUnboundPolicy(plane, admin);
            checkIneffectivePolicy(plane);
            checkMissingRight(plane, admin);
            checkExtendedResourceName(plane, admin);
            checkUnnamedDriver(plane, admin);
            checkMistypedNames(plane, admin);
            checkRightsOfOneProcess(plane);
            checkMissingManagedConfig(plane, admin);
        }
    }

    private static void assertFinding(ControlPlane plane, String check, FindingStatus verdict, String says) {
        DoctorFinding finding = findingOf(
                await(
                        plane,
                        ControlPlaneUser.ADMIN,
                        all -> findingOf(all, check).status() == verdict),
                check);
        assertThat(finding.status()).as(finding.toString()).isEqualTo(verdict);
        assertThat(finding.observation() + " " + finding.remedy()).contains(says);
    }

    private static void repair(ControlPlane plane) {
        plane.kubectl(ControlPlaneUser.ADMIN, "", "apply", "-f", POLICIES.toString());
        assertThat(isOk(await(plane, ControlPlaneUser.ADMIN, DoctorIT::isOk))).isTrue();
    }

    private static void checkMissingPolicy(ControlPlane plane, RawApiClient admin) {
        admin.delete("/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies/claimstream-gate");
        assertFinding(plane, "policy claimstream-gate", FindingStatus.FAILED, "does not exist");
        repair(plane);
    }

    /** With a pod, a dry run as the writer shows the effect of the policy; without one, only its binding counts. */
    private static void checkPodsOfWriter(ControlPlane plane, RawApiClient admin) {
        String check = "policy claimstream-writer-pods";
        assertThat(findingOf(diagnose(plane, ControlPlaneUser.ADMIN), check).observation())
                .isEqualTo("exists, and its binding rejects violations");
        admin.createOrThrow("/api/v1/namespaces/default/pods", """
                {"apiVersion":"v1","kind":"Pod","metadata":{"name":"doctor-pod"},
                 "spec":{"automountServiceAccountToken":false,"containers":[{"name":"none","image":"none"}]}}""");
        assertFinding(plane, check, FindingStatus.OK, "a label that the writer adds to pod default/doctor-pod");
        plane.kubectl(
                ControlPlaneUser.ADMIN,
                "",
                "patch",
                "validatingadmissionpolicy",
                "claimstream-writer-pods",
                "--type=json",
                "-p",
                "[{\"op\":\"replace\",\"path\":\"/spec/validations/3/expression\",\"value\":\"true\"}]");
        assertFinding(plane, check, FindingStatus.FAILED, "admits a label that the writer adds");
        admin.delete("/api/v1/namespaces/default/pods/doctor-pod?gracePeriodSeconds=0");
        repair(plane);
    }

    private static void checkUnboundPolicy(ControlPlane plane, RawApiClient admin) {
        admin.delete(
                "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/claimstream-no-mixed-claims");
        assertFinding(plane, "policy claimstream-no-mixed-claims", FindingStatus.FAILED, "no binding");
        repair(plane);
    }

    /** The policy exists and is bound, but always allows. */
    private static void checkIneffectivePolicy(ControlPlane plane) {
        plane.kubectl(
                ControlPlaneUser.ADMIN,
                "",
                "patch",
                "validatingadmissionpolicy",
                "claimstream-single-writer",
                "--type=json",
                "-p",
                "[{\"op\":\"replace\",\"path\":\"/spec/validations/0/expression\",\"value\":\"true\"}]");
        assertFinding(
                plane,
                "policy claimstream-single-writer",
                FindingStatus.FAILED,
                "admits an allocation of managed devices by another user");
        repair(plane);
    }

    private static void checkMissingRight(ControlPlane plane, RawApiClient admin) {
        admin.delete("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/claimstream-binding");
        assertFinding(plane, "permission to bind", FindingStatus.FAILED, "ClusterRoleBinding");
        assertFinding(plane, "status of a claim", FindingStatus.FAILED, "resourceclaims/binding");
        admin.delete("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/claimstream-watcher");
        assertFinding(plane, "permissions of the watcher", FindingStatus.FAILED, "list resourceslices");
        admin.delete("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/claimstream-writer");
        assertFinding(plane, "permissions of the writer", FindingStatus.FAILED, "patch resourceclaims/status");
        repair(plane);
    }

    private static void checkExtendedResourceName(ControlPlane plane, RawApiClient admin) {
        String policy =
                "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/claimstream-no-extended-resource-names";
        admin.delete(policy);
        ApiPoller.await(
                admin,
                "/healthz",
                _ -> admin.mergePatch(
                                        CLASSES + "/" + DRIVER,
                                        "{\"spec\":{\"extendedResourceName\":\"example.com/gpu\"}}")
                                .status()
                        == 200);
        assertFinding(
                plane, "extended resource names", FindingStatus.FAILED, "kubectl patch deviceclass gpu.example.com");
        plane.kubectl(
                ControlPlaneUser.ADMIN,
                "",
                "patch",
                "deviceclass",
                DRIVER,
                "--type=json",
                "-p",
                "[{\"op\":\"remove\",\"path\":\"/spec/extendedResourceName\"}]");
        repair(plane);
    }

    private static void checkUnnamedDriver(ControlPlane plane, RawApiClient admin) {
        ApiResponse claim = admin.createOrThrow(CLAIMS, ClaimManifests.claim("elsewhere"));
        String given = ClaimManifests.commit(
                claim, ClaimManifests.allocation("node-0000", "nic-0").replace(DRIVER, "nic.example.com"));
        assertThat(admin.patch(ClaimManifests.status("elsewhere"), given).status())
                .isEqualTo(200);
        assertFinding(
                plane,
                "managed configuration",
                FindingStatus.FAILED,
                "devices of nic.example.com, which is not in the drivers");
        assertThat(admin.patch(ClaimManifests.status("elsewhere"), "{\"status\":{\"allocation\":null}}")
                        .status())
                .isEqualTo(200);
        repair(plane);
    }

    private static void checkMistypedNames(ControlPlane plane, RawApiClient admin) {
        String map = "/api/v1/namespaces/claimstream/configmaps/claimstream-managed";
        admin.mergePatch(map, "{\"data\":{\"drivers\":\"gpu.exmaple.com\",\"classes\":\"mgi.example.com\"}}");
        assertFinding(
                plane,
                "managed drivers",
                FindingStatus.WARNING,
                "no ResourceSlice of driver gpu.exmaple.com: no device of it can be allocated did you mean gpu.example.com");
        assertFinding(
                plane,
                "device classes",
                FindingStatus.WARNING,
                "DeviceClass mgi.example.com does not exist: its claims stay pending did you mean mig.example.com");
        repair(plane);
    }

    private static void checkRightsOfOneProcess(ControlPlane plane) {
        List<DoctorFinding> found = diagnose(plane, ControlPlaneUser.WRITER);
        assertThat(findingOf(found, "permissions of one process").status()).isEqualTo(FindingStatus.FAILED);
        assertThat(findingOf(found, "permission to bind").status()).isEqualTo(FindingStatus.OK);
        assertThat(findingOf(found, "policy claimstream-gate").status()).isEqualTo(FindingStatus.WARNING);
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
                all -> findingOf(all, "permissions of one process").status() == FindingStatus.OK);
        assertThat(diagnose(plane, ControlPlaneUser.WRITER)).noneMatch(each -> each.status() == FindingStatus.FAILED);
    }

    private static void checkMissingManagedConfig(ControlPlane plane, RawApiClient admin) {
        ApiResponse claim = admin.createOrThrow(CLAIMS, ClaimManifests.claim("waits"));
        assertThat(claim.uid()).isNotEmpty();
        admin.delete("/api/v1/namespaces/claimstream/configmaps/claimstream-managed");
        assertFinding(plane, "managed configuration", FindingStatus.FAILED, "does not exist");
        assertFinding(plane, "policy claimstream-no-mixed-claims", FindingStatus.WARNING, "see managed configuration");
        repair(plane);
    }

    /** The last two gates are beta in 1.36. Since 1.37 they are generally available, so that the option leaves them on. */
    @Test
    @Tag("part-3")
    void reportsDisabledGates() {
        try (var plane = startWithPolicies(OPTIONS.with(Gates.OFF))) {
            List<DoctorFinding> found = diagnose(plane, ControlPlaneUser.ADMIN);
            List<String> always =
                    List.of("DRAPartitionableDevices", "DRAConsumableCapacity", "DRADeviceBindingConditions");
            List<String> before137 = List.of("DRADeviceTaints", "DRAExtendedResource");
            if (!is136(plane)) {
                before137.forEach(
                        gate -> assertThat(findingOf(found, "gate " + gate).status())
                                .as(gate)
                                .isEqualTo(FindingStatus.OK));
            }
            for (String gate : is136(plane) ? concat(always, before137) : always) {
                DoctorFinding finding = findingOf(found, "gate " + gate);
                assertThat(finding.status()).as(finding.toString()).isEqualTo(FindingStatus.WARNING);
                assertThat(finding.remedy()).contains("--features " + gate + "=false");
            }
        }
    }

    @Test
    @Tag("part-0")
    void reportsGatesEnabledBeyondDefault() {
        try (var plane = startWithPolicies(OPTIONS.with(Gates.ALL))) {
            List<DoctorFinding> found = diagnose(plane, ControlPlaneUser.ADMIN);
            List<String> always =
                    List.of("DRAListTypeAttributes", "DRANodeAllocatableResources", "DRAWorkloadResourceClaims");
            for (String gate : is136(plane) ? concat(always, List.of("DRADeviceTaintRules")) : always) {
                DoctorFinding finding = findingOf(found, "gate " + gate);
                assertThat(finding.status()).as(finding.toString()).isEqualTo(FindingStatus.WARNING);
                assertThat(finding.observation()).startsWith("on");
            }
        }
    }

    private static boolean is136(ControlPlane plane) {
        return KubernetesVersion.nearest(plane.version()) == KubernetesVersion.V1_36;
    }

    private static List<String> concat(List<String> some, List<String> others) {
        return Stream.concat(some.stream(), others.stream()).toList();
    }
}
