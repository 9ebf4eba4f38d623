package dev.claimstream.s3;

import dev.claimstream.audit.AuditException;
import java.time.Duration;
import java.util.Optional;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/** Makes the clients of object stores. What a location does not name comes from the AWS environment: variables, profile, web identity. */
final class S3Clients {
    private static final Duration CONNECT_WITHIN = Duration.ofSeconds(5);

    /** Time without a byte after which a request has failed. A request is tried three times. */
    static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(30);

    private S3Clients() {}

    static S3Client of(S3Location location, Duration responseTimeout) {
        S3ClientBuilder builder = S3Client.builder()
                .httpClientBuilder(UrlConnectionHttpClient.builder()
                        .connectionTimeout(CONNECT_WITHIN)
                        .socketTimeout(responseTimeout))
                .region(region(location))
                .forcePathStyle(location.isPathStyle().orElseGet(() -> hasEndpoint(location)));
        location.endpoint().ifPresent(builder::endpointOverride);
        return builder.build();
    }

    private static boolean hasEndpoint(S3Location location) {
        return location.endpoint().isPresent()
                || variable("AWS_ENDPOINT_URL_S3").isPresent()
                || variable("AWS_ENDPOINT_URL").isPresent();
    }

    /** Another server than AWS has any region. */
    private static Region region(S3Location location) {
        Optional<String> named = location.region()
                .or(() -> variable("AWS_REGION"))
                .or(() -> variable("AWS_DEFAULT_REGION"))
                .or(() -> hasEndpoint(location) ? Optional.of(Region.US_EAST_1.id()) : Optional.empty());
        try {
            return named.map(Region::of).orElseGet(() -> new DefaultAwsRegionProviderChain().getRegion());
        } catch (SdkClientException e) {
            throw new AuditException(
                    "%s: the region of the bucket is not known. Add ?region=REGION, or set AWS_REGION."
                            .formatted(location),
                    e);
        }
    }

    private static Optional<String> variable(String name) {
        return Optional.ofNullable(System.getenv(name)).filter(value -> !value.isBlank());
    }
}
