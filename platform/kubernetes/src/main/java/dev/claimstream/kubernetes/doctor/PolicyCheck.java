package dev.claimstream.kubernetes.doctor;

import static dev.claimstream.kubernetes.doctor.DoctorFinding.failed;
import static dev.claimstream.kubernetes.doctor.DoctorFinding.ok;
import static dev.claimstream.kubernetes.doctor.DoctorFinding.warning;

import dev.claimstream.kubernetes.doctor.AdmissionPolicy.PolicyKind;
import dev.claimstream.kubernetes.doctor.ClusterFacts.DryRunCheck;
import dev.claimstream.kubernetes.doctor.ClusterFacts.PolicyBinding;
import dev.claimstream.kubernetes.doctor.ClusterFacts.PolicyFacts;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Checks whether a policy exists, is bound and has its effect. */
final class PolicyCheck {
    private static final int FORBIDDEN = 403;

    private PolicyCheck() {}

    /** @param isNameless whether the server drops extendedResourceName before a policy can see it */
    static DoctorFinding of(AdmissionPolicy policy, PolicyFacts facts, boolean isNameless) {
        String check = "policy " + policy.objectName();
        if (facts.failurePolicy() instanceof LookupResult.NotFound<String>) {
            return failed(check, "does not exist: " + policy.consequenceIfMissing(), policy.remedy());
        }
        if (facts.bindings().value().filter(List::isEmpty).isPresent()) {
            return failed(check, "exists, but no binding names it: " + policy.consequenceIfMissing(), policy.remedy());
        }
        Optional<PolicyBinding> ineffective = facts.bindings().value().stream()
                .flatMap(List::stream)
                .filter(each -> policy.kind() == PolicyKind.VALIDATING
                        && !each.actions().contains("Deny"))
                .findFirst();
        if (ineffective.isPresent()) {
            return failed(
                    check,
                    "its binding %s has the action %s instead of Deny"
                            .formatted(
                                    ineffective.get().name(),
                                    String.join(", ", ineffective.get().actions())),
                    policy.remedy());
        }
        if (policy == AdmissionPolicy.NO_EXTENDED_RESOURCE_NAMES && isNameless) {
            return ok(check, "not needed: gate DRAExtendedResource is off");
        }
        return effect(check, policy, facts);
    }

    /** In observe-only mode no policy may be in force: kube-scheduler allocates, and no writer removes a gate. */
    static DoctorFinding ofObserved(AdmissionPolicy policy, PolicyFacts facts) {
        String check = "policy " + policy.objectName();
        return switch (facts.bindings()) {
            case LookupResult.Failure<List<PolicyBinding>>(String reason) ->
                warning(check, "not checked whether it is bound: " + reason, ClusterDiagnosis.ADMIN_REMEDY);
            case LookupResult.Value<List<PolicyBinding>>(List<PolicyBinding> bindings)
            when !bindings.isEmpty() ->
                failed(
                        check,
                        "is bound (%s), and Claimstream only observes: %s"
                                .formatted(bindings.getFirst().name(), policy.consequenceInObserveOnly()),
                        "claimstream leave --kubeconfig FILE");
            case LookupResult.Value<List<PolicyBinding>> _, LookupResult.NotFound<List<PolicyBinding>> _ ->
                ok(check, "not bound, as observe-only mode requires");
        };
    }

    private static DoctorFinding effect(String check, AdmissionPolicy policy, PolicyFacts facts) {
        Optional<DryRunCheck> violated = facts.checks().stream()
                .filter(each -> result(policy, each) == CheckResult.VIOLATED)
                .findFirst();
        if (violated.isPresent()) {
            return failed(
                    check, "does not work: it " + describeViolation(violated.get()), remedy(policy, violated.get()));
        }
        Optional<DryRunCheck> unknown = facts.checks().stream()
                .filter(each -> result(policy, each) == CheckResult.UNKNOWN)
                .findFirst();
        Optional<String> unread = unread(facts);
        if (unknown.isPresent() && unread.isPresent()) {
            return warning(check, "not checked: " + unread.get(), ClusterDiagnosis.ADMIN_REMEDY);
        }
        if (unknown.isPresent()) {
            return warning(
                    check,
                    "not checked whether it %s: %s"
                            .formatted(describeExpectation(unknown.get()), describeObstacle(unknown.get())),
                    remedy(unknown.get().result()));
        }
        if (unread.isPresent()) {
            return warning(check, "works; " + unread.get(), ClusterDiagnosis.ADMIN_REMEDY);
        }
        if (facts.failurePolicy().value().filter(each -> !each.equals("Fail")).isPresent()) {
            return warning(
                    check,
                    "works, but its failurePolicy is %s: an error in it does not reject a request"
                            .formatted(facts.failurePolicy().value().orElse("")),
                    policy.remedy());
        }
        return facts.checks().isEmpty()
                ? ok(check, "exists, and its binding rejects violations")
                : ok(
                        check,
                        facts.checks().stream()
                                .map(PolicyCheck::describeExpectation)
                                .collect(Collectors.joining(", ")));
    }

    /** Why the policy or its bindings could not be read. */
    private static Optional<String> unread(PolicyFacts facts) {
        if (facts.failurePolicy() instanceof LookupResult.Failure<String>(String reason)) {
            return Optional.of(reason);
        }
        return facts.bindings() instanceof LookupResult.Failure<List<PolicyBinding>>(String reason)
                ? Optional.of("its bindings: " + reason)
                : Optional.empty();
    }

    private enum CheckResult {
        PASSED,
        VIOLATED,
        UNKNOWN
    }

    private static CheckResult result(AdmissionPolicy policy, DryRunCheck attempt) {
        return switch (attempt.result()) {
            case DryRunResult.Skipped _ -> CheckResult.UNKNOWN;
            case DryRunResult.Response answered -> {
                boolean isOwnDenial =
                        !answered.isAdmitted() && answered.message().contains("'" + policy.objectName() + "'");
                yield switch (attempt.expectedEffect()) {
                    case REJECTED ->
                        isOwnDenial
                                ? CheckResult.PASSED
                                : answered.isAdmitted() ? CheckResult.VIOLATED : CheckResult.UNKNOWN;
                    case ADMITTED ->
                        isOwnDenial
                                ? CheckResult.VIOLATED
                                : answered.isAdmitted() ? CheckResult.PASSED : CheckResult.UNKNOWN;
                    case MUTATED -> mutationResult(answered, isOwnDenial, true);
                    case UNCHANGED -> mutationResult(answered, isOwnDenial, false);
                };
            }
        };
    }

    private static CheckResult mutationResult(DryRunResult.Response answered, boolean isOwnDenial, boolean isExpected) {
        if (!answered.isSuccess()) {
            return isOwnDenial ? CheckResult.VIOLATED : CheckResult.UNKNOWN;
        }
        return answered.presentFields().isEmpty() == isExpected ? CheckResult.VIOLATED : CheckResult.PASSED;
    }

    private static String describeExpectation(DryRunCheck attempt) {
        return switch (attempt.expectedEffect()) {
                    case REJECTED -> "rejects ";
                    case ADMITTED -> "admits ";
                    case MUTATED -> "changes ";
                    case UNCHANGED -> "does not change ";
                }
                + attempt.request();
    }

    private static String describeViolation(DryRunCheck attempt) {
        String effect = switch (attempt.expectedEffect()) {
                    case REJECTED -> "admits ";
                    case ADMITTED -> "rejects ";
                    case MUTATED -> "does not change ";
                    case UNCHANGED -> "changes ";
                }
                + attempt.request();
        return attempt.result() instanceof DryRunResult.Response(int _, String message, var _) && !message.isEmpty()
                ? effect + " (" + message + ")"
                : effect;
    }

    private static String describeObstacle(DryRunCheck attempt) {
        return switch (attempt.result()) {
            case DryRunResult.Skipped(String reason, String _) -> reason;
            case DryRunResult.Response(int code, String message, var _) ->
                "the dry run returned %d: %s".formatted(code, message);
        };
    }

    private static String remedy(DryRunResult trial) {
        return switch (trial) {
            case DryRunResult.Skipped(String _, String remedy) -> remedy;
            case DryRunResult.Response(int code, String _, var _) ->
                code == FORBIDDEN
                        ? ClusterDiagnosis.ADMIN_REMEDY
                        : "fix the component that rejects it, or try it manually";
        };
    }

    private static String remedy(AdmissionPolicy policy, DryRunCheck attempt) {
        boolean hasNoParameters = attempt.result() instanceof DryRunResult.Response(int _, String message, var _)
                && message.contains("no params found");
        return hasNoParameters
                ? "restore the ConfigMap claimstream/claimstream-managed: kubectl apply -f deploy/policies/claimstream.yaml"
                : policy.remedy()
                        + ", and check that no other program binds or changes it; without an effective policy, "
                        + policy.consequenceIfMissing();
    }
}
