package dev.claimstream.kubernetes.doctor;

import static dev.claimstream.kubernetes.doctor.DoctorFinding.failed;
import static dev.claimstream.kubernetes.doctor.DoctorFinding.ok;
import static dev.claimstream.kubernetes.doctor.DoctorFinding.warning;

import dev.claimstream.kubernetes.doctor.ClusterFacts.ManagedConfig;
import dev.claimstream.kubernetes.doctor.ClusterFacts.PermissionResult;
import java.util.List;

/** Checks whether writer and watcher have their permissions. */
final class PermissionChecks {
    private static final String WRITER_REMEDY = "kubectl apply -f deploy/policies/rights-of-the-writer.yaml";
    private static final String WATCHER_REMEDY = "kubectl apply -f deploy/policies/rights-of-the-watcher.yaml";

    private PermissionChecks() {}

    static List<DoctorFinding> of(ClusterFacts facts) {
        return List.of(
                permissions("permissions of the writer", facts.writer().permissions(), WRITER_REMEDY),
                binding(facts.writer().hasBindingPermission()),
                write(facts.writer().allocationWrite()),
                permissions("permissions of the watcher", facts.watcherPermissions(), WATCHER_REMEDY),
                oneProcess(facts));
    }

    private static List<String> missing(List<PermissionResult> rights) {
        return rights.stream()
                .filter(each -> !each.isAllowed())
                .map(PermissionResult::permission)
                .toList();
    }

    private static DoctorFinding permissions(String check, LookupResult<List<PermissionResult>> result, String remedy) {
        return switch (result) {
            case LookupResult.NotFound<List<PermissionResult>> _ ->
                warning(check, "this user is not configured", "see managed configuration");
            case LookupResult.Failure<List<PermissionResult>>(String reason) ->
                warning(check, reason, ClusterDiagnosis.ADMIN_REMEDY);
            case LookupResult.Value<List<PermissionResult>>(List<PermissionResult> rights) ->
                missing(rights).isEmpty()
                        ? ok(check, "has all %d".formatted(rights.size()))
                        : failed(check, describeMissing(rights), remedy);
        };
    }

    private static String describeMissing(List<PermissionResult> rights) {
        List<String> lacking = missing(rights);
        return lacking.size() == rights.size()
                ? "lacks all %d, for example %s".formatted(lacking.size(), lacking.getFirst())
                : "lacks " + String.join(", ", lacking);
    }

    private static DoctorFinding binding(LookupResult<Boolean> result) {
        String check = "permission to bind";
        return switch (result) {
            case LookupResult.NotFound<Boolean> _ ->
                warning(check, "the writer is not configured", "see managed configuration");
            case LookupResult.Failure<Boolean>(String reason) -> warning(check, reason, ClusterDiagnosis.ADMIN_REMEDY);
            case LookupResult.Value<Boolean>(Boolean isAllowed) ->
                isAllowed
                        ? ok(check, "the writer may patch resourceclaims/binding in the whole cluster")
                        : failed(
                                check,
                                "the writer may not patch resourceclaims/binding in the whole cluster, so its allocations are rejected",
                                WRITER_REMEDY + "; it must be a ClusterRoleBinding, a RoleBinding is not sufficient");
        };
    }

    private static DoctorFinding write(DryRunResult trial) {
        String check = "status of a claim";
        return switch (trial) {
            case DryRunResult.Skipped(String reason, String remedy) -> warning(check, "not checked: " + reason, remedy);
            case DryRunResult.Response answered
            when answered.isSuccess() -> ok(check, "the writer may write an allocation (dry run)");
            case DryRunResult.Response(int _, String message, var _)
            when message.contains(" cannot impersonate") ->
                warning(check, "not checked: " + message, ClusterDiagnosis.ADMIN_REMEDY);
            case DryRunResult.Response(int code, String message, var _) ->
                failed(
                        check,
                        "the writer's allocation returned %d (dry run): %s".formatted(code, message),
                        remedy(message));
        };
    }

    private static String remedy(String message) {
        if (message.contains("no params found")) {
            return "restore the ConfigMap claimstream/claimstream-managed: kubectl apply -f deploy/policies/claimstream.yaml";
        }
        if (message.contains("AdmissionPolicy")) {
            return "name the writer in the ConfigMap claimstream/claimstream-managed, or remove the policy that rejects it";
        }
        return message.contains("admission webhook")
                ? "allow the writer in that webhook, or remove the webhook"
                : WRITER_REMEDY;
    }

    private static DoctorFinding oneProcess(ClusterFacts facts) {
        String check = "permissions of one process";
        String remedy = "kubectl apply -f deploy/policies/one-process";
        return switch (facts.writer().watcherPermissions()) {
            case LookupResult.NotFound<List<PermissionResult>> _ ->
                warning(check, "the writer is not configured", "see managed configuration");
            case LookupResult.Failure<List<PermissionResult>>(String reason) ->
                warning(check, reason, ClusterDiagnosis.ADMIN_REMEDY);
            case LookupResult.Value<List<PermissionResult>>(List<PermissionResult> rights) -> {
                if (missing(rights).isEmpty()) {
                    yield ok(check, "the writer may watch too, as claimstream up --kubeconfig needs it");
                }
                boolean isWriter = facts.managedConfig()
                        .value()
                        .map(ManagedConfig::writer)
                        .filter(facts.user()::equals)
                        .isPresent();
                yield isWriter
                        ? failed(
                                check,
                                "claimstream up as %s watches too, and may not: %s"
                                        .formatted(facts.user(), String.join(", ", missing(rights))),
                                remedy)
                        : ok(
                                check,
                                "writer and watcher are two users; claimstream up --kubeconfig needs one: " + remedy);
            }
        };
    }
}
