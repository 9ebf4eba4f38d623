package dev.claimstream.process.settings;

import io.micronaut.context.ApplicationContext;
import io.micronaut.context.env.PropertySource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Opens a context with the checked settings of a process.
 *
 * <p>In ascending precedence: defaults of the process, {@code application.yml} of the class path, configuration files, environment, system
 * properties.
 */
public final class SettingsContext {
    private static final int DEFAULTS_POSITION = -1000;

    /** As the environment (Micronaut: -200). */
    private static final int ENVIRONMENT_POSITION = -200;

    private SettingsContext() {}

    /**
     * Opens the context of a service, whose beans are not started.
     *
     * @throws InvalidSettingsException with all unknown, invalid and missing settings
     */
    public static ApplicationContext ofService(ServiceName service, Map<String, Object> defaults) {
        return open(Optional.of(service), defaults);
    }

    /**
     * Opens a context for a command that reads some settings.
     *
     * @throws InvalidSettingsException with all unknown and invalid settings
     */
    public static ApplicationContext ofCommand() {
        return open(Optional.empty(), Map.of());
    }

    /**
     * Opens a context with the settings of a file alone: neither the environment nor other files count.
     *
     * @throws InvalidSettingsException with all unknown and invalid settings, or if the file cannot be read
     */
    public static ApplicationContext ofFile(Path file) {
        List<PropertySource> files = SettingsFiles.read(SettingsFiles.named(file));
        ApplicationContext context = ApplicationContext.builder()
                .banner(false)
                .deduceEnvironment(false)
                .deduceCloudEnvironment(false)
                .environmentPropertySource(false)
                .propertySources(files.toArray(PropertySource[]::new))
                .build();
        context.getEnvironment().start();
        List<String> problems = SettingsCheck.problems(context.getEnvironment(), files, Optional.empty());
        if (!problems.isEmpty()) {
            context.close();
            throw new InvalidSettingsException(problems);
        }
        return context;
    }

    private static ApplicationContext open(Optional<ServiceName> service, Map<String, Object> defaults) {
        List<Path> paths = SettingsFiles.paths();
        List<PropertySource> files = SettingsFiles.read(paths);
        List<PropertySource> sources = new ArrayList<>(files);
        sources.add(PropertySource.of("defaults of the process", defaults, DEFAULTS_POSITION));
        Map<String, String> variables = System.getenv();
        Map<String, String> perKind = EnvironmentVariables.settingsPerKind(variables.keySet());
        Map<String, Object> valuesPerKind = new TreeMap<>();
        perKind.forEach((variable, name) -> valuesPerKind.put(name, variables.getOrDefault(variable, "")));
        sources.add(PropertySource.of("environment variables of kinds", valuesPerKind, ENVIRONMENT_POSITION));
        ApplicationContext context = ApplicationContext.builder()
                .banner(false)
                .deduceEnvironment(false)
                .deduceCloudEnvironment(false)
                .environmentVariableExcludes(
                        Stream.concat(EnvironmentVariables.serviceLinks(variables), perKind.keySet().stream())
                                .toArray(String[]::new))
                .propertySources(sources.toArray(PropertySource[]::new))
                .build();
        context.getEnvironment().start();
        List<String> problems = SettingsCheck.problems(context.getEnvironment(), files, service);
        if (!problems.isEmpty()) {
            context.close();
            throw new InvalidSettingsException(problems);
        }
        return context;
    }
}
