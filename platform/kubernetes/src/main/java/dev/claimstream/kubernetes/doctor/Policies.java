package dev.claimstream.kubernetes.doctor;

import static dev.claimstream.kubernetes.doctor.Finding.failed;
import static dev.claimstream.kubernetes.doctor.Finding.ok;
import static dev.claimstream.kubernetes.doctor.Finding.warning;

import dev.claimstream.kubernetes.doctor.ClusterFacts.Attempt;
import dev.claimstream.kubernetes.doctor.ClusterFacts.Binding;
import dev.claimstream.kubernetes.doctor.ClusterFacts.PolicyFacts;
import dev.claimstream.kubernetes.doctor.Policy.Form;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Checks whether a policy exists, is bound and has its effect. */
final class Policies {
    private static final int FORBIDDEN = 403;

    private Policies() {}

    /** @param isNameless whether the server drops extendedResourceName before a policy can see it */
    static Finding of(Policy policy, PolicyFacts facts, boolean isNameless) {
        String check = "policy " + policy.objectName();
        if (facts.failurePolicy() instanceof Seen.Missing<String>) {
            return failed(check, "is not there: " + policy.harm(), policy.remedy());
        }
        if (facts.bindings().value().filter(List::isEmpty).isPresent()) {
            return failed(check, "is there, but no binding names it: " + policy.harm(), policy.remedy());
        }
        Optional<Binding> lame = facts.bindings().value().stream()
                .flatMap(List::stream)
                .filter(each ->
                        policy.form() == Form.VALIDATING && !each.actions().contains("Deny"))
                .findFirst();
        if (lame.isPresent()) {
            return failed(
                    check,
                    "its binding %s does not deny, it does %s"
                            .formatted(
                                    lame.get().name(),
                                    String.join(", ", lame.get().actions())),
                    policy.remedy());
        }
        if (policy == Policy.NO_EXTENDED_RESOURCE_NAMES && isNameless) {
            return ok(check, "has nothing to do: gate DRAExtendedResource is off");
        }
        return works(check, policy, facts);
    }

    private static Finding works(String check, Policy policy, PolicyFacts facts) {
        Optional<Attempt> wrong = facts.attempts().stream()
                .filter(each -> result(policy, each) == Result.WRONG)
                .findFirst();
        if (wrong.isPresent()) {
            return failed(check, "does not work: it " + otherwise(wrong.get()), remedy(policy, wrong.get()));
        }
        Optional<Attempt> open = facts.attempts().stream()
                .filter(each -> result(policy, each) == Result.NOT_KNOWN)
                .findFirst();
        if (open.isPresent()) {
            return warning(
                    check,
                    "not tried whether it %s: %s".formatted(asItMust(open.get()), why(open.get())),
                    remedy(open.get().trial()));
        }
        if (facts.failurePolicy() instanceof Seen.Hidden<String>(String why)) {
            return warning(check, "works; cannot be read: " + why, Diagnosis.AS_ADMINISTRATOR);
        }
        if (facts.failurePolicy().value().filter(each -> !each.equals("Fail")).isPresent()) {
            return warning(
                    check,
                    "works, but its failurePolicy is %s: an error in it is no refusal"
                            .formatted(facts.failurePolicy().value().orElse("")),
                    policy.remedy());
        }
        return ok(check, facts.attempts().stream().map(Policies::asItMust).collect(Collectors.joining(", ")));
    }

    private enum Result {
        RIGHT,
        WRONG,
        NOT_KNOWN
    }

    private static Result result(Policy policy, Attempt attempt) {
        return switch (attempt.trial()) {
            case Trial.NotTried _ -> Result.NOT_KNOWN;
            case Trial.Answered answered -> {
                boolean isOurNo =
                        !answered.isLetThrough() && answered.message().contains("'" + policy.objectName() + "'");
                yield switch (attempt.expected()) {
                    case REFUSED -> isOurNo ? Result.RIGHT : answered.isLetThrough() ? Result.WRONG : Result.NOT_KNOWN;
                    case LET_THROUGH ->
                        isOurNo ? Result.WRONG : answered.isLetThrough() ? Result.RIGHT : Result.NOT_KNOWN;
                    case CHANGED -> marked(answered, isOurNo, true);
                    case UNCHANGED -> marked(answered, isOurNo, false);
                };
            }
        };
    }

    private static Result marked(Trial.Answered answered, boolean isOurNo, boolean isWanted) {
        if (!answered.isTaken()) {
            return isOurNo ? Result.WRONG : Result.NOT_KNOWN;
        }
        return answered.marks().isEmpty() == isWanted ? Result.WRONG : Result.RIGHT;
    }

    private static String asItMust(Attempt attempt) {
        return switch (attempt.expected()) {
                    case REFUSED -> "refuses ";
                    case LET_THROUGH -> "lets through ";
                    case CHANGED -> "changes ";
                    case UNCHANGED -> "leaves alone ";
                }
                + attempt.what();
    }

    private static String otherwise(Attempt attempt) {
        String did = switch (attempt.expected()) {
                    case REFUSED -> "lets through ";
                    case LET_THROUGH -> "refuses ";
                    case CHANGED -> "leaves alone ";
                    case UNCHANGED -> "changes ";
                }
                + attempt.what();
        return attempt.trial() instanceof Trial.Answered(int _, String message, var _) && !message.isEmpty()
                ? did + " (" + message + ")"
                : did;
    }

    private static String why(Attempt attempt) {
        return switch (attempt.trial()) {
            case Trial.NotTried(String why, String _) -> why;
            case Trial.Answered(int code, String message, var _) ->
                "the dry run was answered %d: %s".formatted(code, message);
        };
    }

    private static String remedy(Trial trial) {
        return switch (trial) {
            case Trial.NotTried(String _, String remedy) -> remedy;
            case Trial.Answered(int code, String _, var _) ->
                code == FORBIDDEN ? Diagnosis.AS_ADMINISTRATOR : "see to what refuses it, or try it by hand";
        };
    }

    private static String remedy(Policy policy, Attempt attempt) {
        boolean hasNoParameters = attempt.trial() instanceof Trial.Answered(int _, String message, var _)
                && message.contains("no params found");
        return hasNoParameters
                ? "put the ConfigMap claimstream/claimstream-managed back: kubectl apply -f deploy/policies/claimstream.yaml"
                : policy.remedy() + ", and see that nothing else binds or changes it; what it does is " + policy.harm();
    }
}
