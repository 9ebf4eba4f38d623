package dev.claimstream.dra;

import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A supported Kubernetes release. */
public enum KubernetesVersion {
    /** 1.36. */
    V1_36("1.36"),
    /** 1.37. */
    V1_37("1.37");

    /** The newest supported release. */
    public static final KubernetesVersion NEWEST = V1_37;

    private static final Pattern SERVER_VERSION = Pattern.compile("v?1\\.(\\d{1,3})(\\D.*)?");

    private final String text;

    KubernetesVersion(String text) {
        this.text = text;
    }

    /** Returns major and minor version, for example {@code 1.37}. */
    @Override
    public String toString() {
        return text;
    }

    /** Returns the release with this name. */
    public static Optional<KubernetesVersion> of(String text) {
        return Arrays.stream(values()).filter(each -> each.text.equals(text)).findFirst();
    }

    /** Returns the supported release nearest to a server version such as {@code v1.36.4-vendor.1}; the newest if it cannot be parsed. */
    public static KubernetesVersion nearest(String served) {
        Matcher matcher = SERVER_VERSION.matcher(served);
        if (!matcher.matches()) {
            return NEWEST;
        }
        int minor = Integer.parseInt(matcher.group(1));
        return Arrays.stream(values())
                .filter(each -> minor <= each.minor())
                .findFirst()
                .orElse(NEWEST);
    }

    private int minor() {
        return Integer.parseInt(text.substring(text.indexOf('.') + 1));
    }

    /** Returns all release names, joined by {@code or}. */
    public static String names() {
        return Arrays.stream(values()).map(KubernetesVersion::toString).collect(Collectors.joining(" or "));
    }
}
