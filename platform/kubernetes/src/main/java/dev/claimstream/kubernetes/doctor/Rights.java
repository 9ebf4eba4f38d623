package dev.claimstream.kubernetes.doctor;

import static dev.claimstream.kubernetes.doctor.Finding.failed;
import static dev.claimstream.kubernetes.doctor.Finding.ok;
import static dev.claimstream.kubernetes.doctor.Finding.warning;

import dev.claimstream.kubernetes.doctor.ClusterFacts.Access;
import dev.claimstream.kubernetes.doctor.ClusterFacts.Ours;
import java.util.List;

/** Checks whether writer and watcher have their permissions. */
final class Rights {
    private static final String OF_THE_WRITER = "kubectl apply -f deploy/policies/rights-of-the-writer.yaml";
    private static final String OF_THE_WATCHER = "kubectl apply -f deploy/policies/rights-of-the-watcher.yaml";

    private Rights() {}

    static List<Finding> of(ClusterFacts facts) {
        return List.of(
                rights("rights of the writer", facts.writer().rights(), OF_THE_WRITER),
                binding(facts.writer().binding()),
                write(facts.writer().write()),
                rights("rights of the watcher", facts.watcher(), OF_THE_WATCHER),
                oneProcess(facts));
    }

    private static List<String> lacking(List<Access> rights) {
        return rights.stream()
                .filter(each -> !each.isAllowed())
                .map(Access::right)
                .toList();
    }

    private static Finding rights(String check, Seen<List<Access>> seen, String remedy) {
        return switch (seen) {
            case Seen.Missing<List<Access>> _ -> warning(check, "it is not said who that is", "see what is ours");
            case Seen.Hidden<List<Access>>(String why) -> warning(check, why, Diagnosis.AS_ADMINISTRATOR);
            case Seen.Found<List<Access>>(List<Access> rights) ->
                lacking(rights).isEmpty()
                        ? ok(check, "has all %d".formatted(rights.size()))
                        : failed(check, lacks(rights), remedy);
        };
    }

    private static String lacks(List<Access> rights) {
        List<String> lacking = lacking(rights);
        return lacking.size() == rights.size()
                ? "lacks all %d, %s and so on".formatted(lacking.size(), lacking.getFirst())
                : "lacks " + String.join(", ", lacking);
    }

    private static Finding binding(Seen<Boolean> seen) {
        String check = "right to bind";
        return switch (seen) {
            case Seen.Missing<Boolean> _ -> warning(check, "it is not said who the writer is", "see what is ours");
            case Seen.Hidden<Boolean>(String why) -> warning(check, why, Diagnosis.AS_ADMINISTRATOR);
            case Seen.Found<Boolean>(Boolean isAllowed) ->
                isAllowed
                        ? ok(check, "the writer may patch resourceclaims/binding in the whole cluster")
                        : failed(
                                check,
                                "the writer may not patch resourceclaims/binding in the whole cluster, so no allocation of it is taken",
                                OF_THE_WRITER + "; it has to be a ClusterRoleBinding, a RoleBinding does not give it");
        };
    }

    private static Finding write(Trial trial) {
        String check = "status of a claim";
        return switch (trial) {
            case Trial.NotTried(String why, String remedy) -> warning(check, "not tried: " + why, remedy);
            case Trial.Answered answered
            when answered.isTaken() -> ok(check, "the writer may write an allocation (dry run)");
            case Trial.Answered(int code, String message, var _) ->
                failed(
                        check,
                        "the writer's allocation was answered %d (dry run): %s".formatted(code, message),
                        remedy(message));
        };
    }

    private static String remedy(String message) {
        if (message.contains("no params found")) {
            return "put the ConfigMap claimstream/claimstream-managed back: kubectl apply -f deploy/policies/claimstream.yaml";
        }
        if (message.contains("AdmissionPolicy")) {
            return "name the writer in the ConfigMap claimstream/claimstream-managed, or remove the policy that refuses it";
        }
        return message.contains("admission webhook")
                ? "let that webhook take what the writer writes, or remove the webhook"
                : OF_THE_WRITER;
    }

    private static Finding oneProcess(ClusterFacts facts) {
        String check = "rights of one process";
        String remedy = "kubectl apply -f deploy/policies/one-process";
        return switch (facts.writer().watching()) {
            case Seen.Missing<List<Access>> _ -> warning(check, "it is not said who the writer is", "see what is ours");
            case Seen.Hidden<List<Access>>(String why) -> warning(check, why, Diagnosis.AS_ADMINISTRATOR);
            case Seen.Found<List<Access>>(List<Access> rights) -> {
                if (lacking(rights).isEmpty()) {
                    yield ok(check, "the writer may watch too, as claimstream up --kubeconfig needs it");
                }
                boolean isWriter = facts.ours()
                        .value()
                        .map(Ours::writer)
                        .filter(facts.user()::equals)
                        .isPresent();
                yield isWriter
                        ? failed(
                                check,
                                "claimstream up as %s watches too, and may not: %s"
                                        .formatted(facts.user(), String.join(", ", lacking(rights))),
                                remedy)
                        : ok(check, "writer and watcher are two; claimstream up --kubeconfig needs one: " + remedy);
            }
        };
    }
}
