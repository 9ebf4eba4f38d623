package dev.claimstream.s3;

import dev.claimstream.audit.AuditException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The place of an archive: {@code s3://bucket/prefix?parameter=value&…}.
 *
 * @param prefix begin of the names of all objects, without slashes at its ends; empty for the whole bucket
 * @param endpoint address of the server; empty for that of the AWS environment
 * @param region empty for that of the AWS environment
 * @param isPathStyle whether the bucket is part of the path instead of the host name; empty for the default: with an endpoint
 * @param lock how long objects are locked; empty for no lock
 */
record S3Location(
        String bucket,
        String prefix,
        Optional<URI> endpoint,
        Optional<String> region,
        Optional<Boolean> isPathStyle,
        Optional<ObjectLock> lock) {
    static final String SCHEME = "s3";

    private static final String BEGIN = SCHEME + "://";
    private static final String ENDPOINT = "endpoint";
    private static final String REGION = "region";
    private static final String PATH_STYLE = "path-style";
    private static final String LOCK = "object-lock";
    private static final String LOCK_DAYS = "object-lock-days";
    private static final Set<String> PARAMETERS = new TreeSet<>(Set.of(ENDPOINT, REGION, PATH_STYLE, LOCK, LOCK_DAYS));
    private static final Pattern BUCKET = Pattern.compile("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]");
    private static final int DAYS_MAX = 36_500;

    /** How an object is protected from deletion. */
    enum LockMode {
        /** A user with a special permission may end the lock. */
        GOVERNANCE,
        /** No user may end the lock. */
        COMPLIANCE
    }

    /**
     * Object Lock of each new object.
     *
     * @param time time after the write for which the object is locked
     */
    record ObjectLock(LockMode mode, Duration time) {}

    /**
     * Parses a location.
     *
     * @throws AuditException if it is invalid; the message names the part
     */
    static S3Location of(String text) {
        if (!text.startsWith(BEGIN)) {
            throw invalid(text, "it does not begin with " + BEGIN);
        }
        int question = text.indexOf('?');
        String path = question < 0 ? text.substring(BEGIN.length()) : text.substring(BEGIN.length(), question);
        int slash = path.indexOf('/');
        String bucket = slash < 0 ? path : path.substring(0, slash);
        if (!BUCKET.matcher(bucket).matches()) {
            throw invalid(
                    text,
                    "bucket \"%s\" is not a name of 3 to 63 lower-case letters, digits, dots and hyphens"
                            .formatted(bucket));
        }
        Map<String, String> parameters = question < 0 ? Map.of() : parameters(text, text.substring(question + 1));
        return new S3Location(
                bucket,
                slash < 0 ? "" : stripped(path.substring(slash)),
                Optional.ofNullable(parameters.get(ENDPOINT)).map(value -> endpoint(text, value)),
                Optional.ofNullable(parameters.get(REGION)),
                Optional.ofNullable(parameters.get(PATH_STYLE)).map(value -> flag(text, value)),
                lock(text, parameters));
    }

    private static String stripped(String path) {
        int from = 0;
        int to = path.length();
        while (from < to && path.charAt(from) == '/') {
            from++;
        }
        while (to > from && path.charAt(to - 1) == '/') {
            to--;
        }
        return path.substring(from, to);
    }

    private static Map<String, String> parameters(String text, String query) {
        var parameters = new HashMap<String, String>();
        for (String each : query.split("&", -1)) {
            int equals = each.indexOf('=');
            String name = equals < 0 ? each : each.substring(0, equals);
            if (!PARAMETERS.contains(name)) {
                throw invalid(
                        text, "parameter \"%s\" is unknown: use %s".formatted(name, String.join(", ", PARAMETERS)));
            }
            String value = equals < 0 ? "" : each.substring(equals + 1);
            if (value.isEmpty()) {
                throw invalid(text, "parameter %s has no value".formatted(name));
            }
            parameters.put(name, URLDecoder.decode(value, StandardCharsets.UTF_8));
        }
        return parameters;
    }

    private static URI endpoint(String text, String value) {
        if (value.contains("@")) {
            throw invalid(
                    text, "%s has a user: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead".formatted(ENDPOINT));
        }
        try {
            URI address = URI.create(value);
            boolean isHttp = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
            if (isHttp && address.getHost() != null) {
                return address;
            }
        } catch (IllegalArgumentException e) {
            throw invalid(text, "endpoint \"%s\" is not an address: %s".formatted(value, e.getMessage()));
        }
        throw invalid(text, "endpoint \"%s\" is not an address such as https://s3.example.com".formatted(value));
    }

    private static boolean flag(String text, String value) {
        return switch (value) {
            case "true" -> true;
            case "false" -> false;
            default -> throw invalid(text, "%s=%s: use true or false".formatted(PATH_STYLE, value));
        };
    }

    private static Optional<ObjectLock> lock(String text, Map<String, String> parameters) {
        Optional<String> mode = Optional.ofNullable(parameters.get(LOCK));
        Optional<String> days = Optional.ofNullable(parameters.get(LOCK_DAYS));
        if (mode.isPresent() != days.isPresent()) {
            throw invalid(text, "%s and %s belong together: name both".formatted(LOCK, LOCK_DAYS));
        }
        return mode.map(each -> new ObjectLock(mode(text, each), days(text, days.orElseThrow())));
    }

    private static LockMode mode(String text, String value) {
        return switch (value) {
            case "governance" -> LockMode.GOVERNANCE;
            case "compliance" -> LockMode.COMPLIANCE;
            default -> throw invalid(text, "%s=%s: use governance or compliance".formatted(LOCK, value));
        };
    }

    private static Duration days(String text, String value) {
        try {
            int days = Integer.parseInt(value);
            if (days >= 1 && days <= DAYS_MAX) {
                return Duration.ofDays(days);
            }
        } catch (NumberFormatException e) {
            throw invalid(text, "%s=%s is not a number".formatted(LOCK_DAYS, value));
        }
        throw invalid(text, "%s=%s: use 1 to %d".formatted(LOCK_DAYS, value, DAYS_MAX));
    }

    /** The message leaves out the parameters: a user may have put a secret there. */
    private static AuditException invalid(String text, String reason) {
        int question = text.indexOf('?');
        return new AuditException(
                "%s is not the location of an archive: %s. Use s3://BUCKET/PREFIX, and parameters such as ?endpoint=https://s3.example.com&object-lock=compliance&object-lock-days=365."
                        .formatted(question < 0 ? text : text.substring(0, question), reason));
    }

    /** The key of a file of the archive. */
    String key(String name) {
        return prefix.isEmpty() ? name : prefix + '/' + name;
    }

    /** The location without its parameters. */
    @Override
    public String toString() {
        return BEGIN + key(bucket, prefix);
    }

    private static String key(String bucket, String prefix) {
        return prefix.isEmpty() ? bucket : bucket + '/' + prefix;
    }
}
