package dev.claimstream.cli;

import java.util.List;

/** The answers as Kubernetes objects. */
final class ClaimDocuments {
    private ClaimDocuments() {}

    static String yaml(List<Answer> answers) {
        return "";
    }

    static String json(List<Answer> answers) {
        return "";
    }
}
