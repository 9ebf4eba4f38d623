package dev.claimstream.process;

import dev.claimstream.kafka.registry.RestRegistry.Registration;
import dev.claimstream.kafka.registry.RestRegistry.RegistrySettings;
import dev.claimstream.kafka.security.AccessFault;
import dev.claimstream.kafka.security.PemFiles;
import dev.claimstream.kafka.security.RegistryLogin;
import dev.claimstream.kafka.security.SecretFile;
import dev.claimstream.process.settings.InvalidSettingsException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/** Reads encryption and authentication of the schema registry from the settings, and names the setting behind a fault. */
final class RegistryAccess {
    private static final String USERNAME = "claimstream.registry.username";
    private static final String PASSWORD_FILE = "claimstream.registry.password-file";
    private static final String TOKEN_FILE = "claimstream.registry.token-file";
    private static final String CA_FILE = "claimstream.registry.ca-file";
    private static final String REGISTER = "claimstream.registry.register";
    private static final String URL = "claimstream.registry.url";

    private final ConnectionReader reader;

    RegistryAccess(ConnectionReader reader) {
        this.reader = reader;
    }

    /**
     * The settings of a client of this registry.
     *
     * @throws InvalidSettingsException with all problems that the reader has found so far
     */
    RegistrySettings settings(URI url) {
        Optional<Path> ca = reader.file(CA_FILE, PemFiles::authorityProblem);
        RegistryLogin login = login();
        reader.throwProblems();
        RegistrySettings settings = RegistrySettings.of(url).as(login).with(registration());
        return ca.map(settings::trusting).orElse(settings);
    }

    private Registration registration() {
        return reader.text(REGISTER).filter("false"::equalsIgnoreCase).isPresent()
                ? Registration.LOOK_UP
                : Registration.REGISTER;
    }

    private RegistryLogin login() {
        boolean isUser =
                reader.text(USERNAME).isPresent() || reader.text(PASSWORD_FILE).isPresent();
        Optional<RegistryLogin> bearer = reader.file(TOKEN_FILE, SecretFile::problem)
                .map(file -> new RegistryLogin.Bearer(new SecretFile(file)));
        if (!isUser) {
            return bearer.orElseGet(RegistryLogin.Anonymous::new);
        }
        if (reader.text(TOKEN_FILE).isPresent()) {
            reader.problem("%s and %s are set: remove one of them".formatted(TOKEN_FILE, USERNAME));
        }
        Optional<String> username = reader.required(USERNAME, PASSWORD_FILE + " is");
        Optional<Path> password = reader.requiredFile(PASSWORD_FILE, USERNAME + " is", SecretFile::problem);
        return username.<RegistryLogin>flatMap(
                        name -> password.map(file -> new RegistryLogin.Basic(name, new SecretFile(file))))
                .orElseGet(RegistryLogin.Anonymous::new);
    }

    /** One line about a fault: the setting, what the registry does, and the remedy. */
    String problem(AccessFault fault, URI url) {
        return switch (fault) {
            case CREDENTIALS_REJECTED ->
                line(
                        reader.text(TOKEN_FILE).isPresent() ? TOKEN_FILE : USERNAME + " and " + PASSWORD_FILE,
                        fault,
                        url,
                        "set the credentials of a user of this registry");
            case UNTRUSTED_SERVER ->
                line(
                        CA_FILE,
                        fault,
                        url,
                        "set it to the PEM file of the authority that signed the registry's certificate");
            case EXPIRED_SERVER_CERTIFICATE -> line(URL, fault, url, "renew the certificate of the registry");
            case OTHER_HOST -> line(URL, fault, url, "use a host name of the registry's certificate");
            case CLIENT_CERTIFICATE_REJECTED, OTHER_MECHANISM, NO_TOKEN, HANDSHAKE_FAILED ->
                line(URL, fault, url, "check that this port expects https, without client certificates");
        };
    }

    private static String line(String setting, AccessFault fault, URI url, String remedy) {
        return "%s: the schema registry (%s) %s: %s".formatted(setting, url, fault.text(), remedy);
    }
}
