package dev.claimstream.dra;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** A release of Kubernetes whose defaults we know. */
public enum KubernetesVersion {
    /** 1.36. */
    V1_36("1.36"),
    /** 1.37. */
    V1_37("1.37");

    private final String text;

    KubernetesVersion(String text) {
        this.text = text;
    }

    /** Major and minor, for example {@code 1.37}. */
    @Override
    public String toString() {
        return text;
    }

    /** The release of this name. */
    public static Optional<KubernetesVersion> of(String text) {
        return Arrays.stream(values()).filter(each -> each.text.equals(text)).findFirst();
    }

    /** All releases, with {@code or} between them. */
    public static String names() {
        return Arrays.stream(values()).map(KubernetesVersion::toString).collect(Collectors.joining(" or "));
    }
}
