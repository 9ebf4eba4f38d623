package dev.claimstream.cli.console;

import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.kubernetes.api.ApiAccess;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The bearer token for a service that asks for one: of {@code CLAIMSTREAM_TOKEN}, else of the user of the kubeconfig.
 *
 * <p>It is sent only after the service has answered 401, and never in clear text over a network.
 */
public final class ServiceToken {
    /** Environment variable with a token. */
    public static final String VARIABLE = "CLAIMSTREAM_TOKEN";

    private ServiceToken() {}

    /**
     * Returns the token of the user.
     *
     * @param service address to which it is sent
     * @param access cluster that an option names; empty: the kubeconfig that kubectl uses
     * @throws RunFailure if the address is not safe, or there is no token
     */
    public static String of(URI service, Optional<ApiAccess> access) {
        return of(service, access, System.getenv(), ClusterOption.home());
    }

    static String of(URI service, Optional<ApiAccess> access, Map<String, String> environment, Path usual) {
        if (!"https".equals(service.getScheme()) && !isLoopback(service.getHost())) {
            throw new RunFailure(
                    "%s asks for a token, which would be readable on the network: use kubectl port-forward and a loopback address, or https"
                            .formatted(service));
        }
        return Optional.ofNullable(environment.get(VARIABLE))
                .filter(each -> !each.isBlank())
                .map(String::strip)
                .or(() -> access.or(() -> usualAccess(environment, usual)).flatMap(ServiceToken::token))
                .orElseThrow(() -> new RunFailure(
                        "%s asks for a token, and the user of the kubeconfig has none: set %s, for example to the output of kubectl create token"
                                .formatted(service, VARIABLE)));
    }

    private static Optional<ApiAccess> usualAccess(Map<String, String> environment, Path usual) {
        List<Path> files = ClusterOption.kubectlFiles(Optional.ofNullable(environment.get("KUBECONFIG")), usual);
        return files.isEmpty() ? Optional.empty() : Optional.of(new ApiAccess(files, Optional.empty()));
    }

    private static Optional<String> token(ApiAccess access) {
        try {
            return access.token();
        } catch (IllegalArgumentException e) {
            throw new RunFailure(String.valueOf(e.getMessage()));
        }
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
