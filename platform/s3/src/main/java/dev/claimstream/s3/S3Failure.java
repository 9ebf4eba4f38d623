package dev.claimstream.s3;

import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.Optional;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** A request that failed, with its reason and a remedy. */
final class S3Failure extends IOException {
    private static final int NOT_FOUND = 404;
    private static final int FORBIDDEN = 403;
    private static final int PRECONDITION_FAILED = 412;
    private static final int CONFLICT = 409;
    private static final int NOT_IMPLEMENTED = 501;

    private static final long serialVersionUID = 1;

    private final String remedy;

    private S3Failure(String reason, String remedy, SdkException cause) {
        super(reason, cause);
        this.remedy = remedy;
    }

    /** What a user does. */
    String remedy() {
        return remedy;
    }

    static S3Failure of(SdkException e, S3Location location) {
        return e instanceof S3Exception error ? answered(error, location) : unanswered(e, location);
    }

    /** Whether an object does not exist. */
    static boolean isNotFound(SdkException e) {
        return e instanceof S3Exception error
                && error.statusCode() == NOT_FOUND
                && !code(error).equals("NoSuchBucket");
    }

    /** Whether the object of a conditional write exists. */
    static boolean isExisting(SdkException e) {
        return e instanceof S3Exception error
                && (error.statusCode() == PRECONDITION_FAILED
                        || (error.statusCode() == CONFLICT && code(error).equals("ConditionalRequestConflict")));
    }

    /** Whether the server does not have the operation. */
    static boolean isNotImplemented(SdkException e) {
        return e instanceof S3Exception error && error.statusCode() == NOT_IMPLEMENTED;
    }

    private static String code(S3Exception error) {
        return Optional.ofNullable(error.awsErrorDetails())
                .map(AwsErrorDetails::errorCode)
                .orElse("");
    }

    private static S3Failure answered(S3Exception error, S3Location location) {
        String code = code(error);
        String reason = "%s answers %d %s: %s"
                .formatted(
                        server(location),
                        error.statusCode(),
                        code,
                        Optional.ofNullable(error.awsErrorDetails())
                                .map(AwsErrorDetails::errorMessage)
                                .orElse(""));
        return switch (code) {
            case "NoSuchBucket" ->
                new S3Failure(
                        "bucket %s does not exist at %s".formatted(location.bucket(), server(location)),
                        "Create the bucket, or name another one",
                        error);
            case "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken" ->
                new S3Failure(
                        "%s rejects the credentials (%s)".formatted(server(location), code),
                        "Correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile or web identity that has them",
                        error);
            case "InvalidRequest", "InvalidBucketState", "ObjectLockConfigurationNotFoundError" ->
                new S3Failure(
                        reason,
                        location.lock().isPresent()
                                ? "Create the bucket with Object Lock, or leave out object-lock"
                                : "Correct the bucket or the parameters",
                        error);
            case "SlowDown", "ServiceUnavailable", "InternalError" ->
                new S3Failure(reason, "The store is overloaded or restarts: try again when it answers", error);
            case "NotImplemented" ->
                new S3Failure(
                        reason,
                        "An archive needs conditional writes (If-None-Match): use a server that has them",
                        error);
            default ->
                new S3Failure(
                        reason,
                        error.statusCode() == FORBIDDEN
                                ? "Allow s3:ListBucket, s3:ListBucketVersions, s3:GetObject, s3:PutObject, s3:DeleteObject and, with object-lock, s3:PutObjectRetention"
                                : "Check the server, the region and the bucket, and try again",
                        error);
        };
    }

    private static S3Failure unanswered(SdkException e, S3Location location) {
        Throwable cause = e;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        String message = String.valueOf(cause.getMessage());
        if (message.contains("credentials") || String.valueOf(e.getMessage()).contains("credentials")) {
            return new S3Failure(
                    "no credentials for %s".formatted(server(location)),
                    "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or a web identity",
                    e);
        }
        String reason = switch (cause) {
            case UnknownHostException _ -> "the host is unknown: " + message;
            case ConnectException _ -> "no connection: " + message;
            default -> message;
        };
        return new S3Failure(
                "no response from %s: %s".formatted(server(location), reason),
                "Check the endpoint, the network and the server",
                e);
    }

    private static String server(S3Location location) {
        return location.endpoint().map(Object::toString).orElse("the S3 server");
    }
}
