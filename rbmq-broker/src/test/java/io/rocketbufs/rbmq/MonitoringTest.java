package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the alert rules and the dashboard in conf/monitoring, with a real Prometheus if slow tests run. */
@Tag("once")
@Timeout(600)
final class MonitoringTest {
    private static final Path FOLDER =
            Path.of("..", "conf", "monitoring").toAbsolutePath().normalize();
    private static final Path RULES = FOLDER.resolve("rbmq-alerts.yml");
    private static final Path DASHBOARD = FOLDER.resolve("rbmq-dashboard.json");
    private static final Path TESTS_OF_RULES =
            Path.of("src", "test", "resources", "monitoring", "rbmq-alerts-test.yml");

    private static final Pattern METRIC = Pattern.compile("\\b(rbmq|rocketbufs|jvm|process|system)_[a-z0-9_]+");

    private static final Pattern LISTENING = Pattern.compile("Listening on\" address=(127[.]0[.]0[.]1:\\d+)\\s");

    @TempDir
    Path folder;

    @Test
    void shouldUseOnlyMetricsThatABrokerHas() throws Exception {
        try (RunningBroker running = new RunningBroker()) {
            Set<String> existing = metrics(new AdminApi(running).text("/metrics"));
            assertThat(existing).contains("rbmq_slow_subscribers");
            String rules = Files.readAllLines(RULES).stream()
                    .filter(line -> line.strip().startsWith("expr:"))
                    .collect(Collectors.joining("\n"));
            assertThat(metrics(rules)).hasSizeGreaterThan(8).isSubsetOf(existing);
            String expressions = String.join("\n", expressions());
            assertThat(metrics(expressions)).hasSizeGreaterThan(20).isSubsetOf(existing);
        }
    }

    @Test
    void shouldArrangeThePanelsOfTheDashboardWithoutOverlaps() {
        Set<String> taken = new TreeSet<>();
        for (Config panel : dashboard().getConfigList("panels")) {
            Config place = panel.getConfig("gridPos");
            for (int x = place.getInt("x"); x < place.getInt("x") + place.getInt("w"); x++) {
                for (int y = place.getInt("y"); y < place.getInt("y") + place.getInt("h"); y++) {
                    assertThat(x).as(panel.getString("title")).isLessThan(24);
                    assertThat(taken.add(x + "," + y))
                            .as(panel.getString("title"))
                            .isTrue();
                }
            }
        }
        assertThat(taken).isNotEmpty();
    }

    @Test
    @Tag("slow")
    void shouldContainRulesThatPromtoolAccepts() throws Exception {
        assertThat(run("promtool", "check", "rules", RULES.toString())).contains("SUCCESS");
        assertThat(run("promtool", "test", "rules", TESTS_OF_RULES.toString())).contains("SUCCESS");
    }

    /** A Prometheus that scrapes a broker evaluates every expression of the rules and of the dashboard. */
    @Test
    @Tag("slow")
    void shouldWorkWithPrometheus() throws Exception {
        try (RunningBroker running = new RunningBroker()) {
            running.publisher().topic("t").announced().get(60, TimeUnit.SECONDS);
            Path log = folder.resolve("prometheus.log");
            Path settings = folder.resolve("prometheus.yml");
            Files.writeString(settings, """
                    global: { scrape_interval: 1s, evaluation_interval: 1s }
                    rule_files: [ '%s' ]
                    scrape_configs:
                      - job_name: rbmq
                        static_configs: [ { targets: [ '127.0.0.1:%d' ] } ]
                    """.formatted(
                            RULES, running.broker().adminAddress().getPort()));
            Process prometheus = new ProcessBuilder(
                            "prometheus",
                            "--config.file=" + settings,
                            "--storage.tsdb.path=" + folder.resolve("data"),
                            "--web.listen-address=127.0.0.1:0")
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            try {
                await().until(() -> LISTENING.matcher(Files.readString(log)).find());
                Matcher address = LISTENING.matcher(Files.readString(log));
                assertThat(address.find()).isTrue();
                String api = "http://" + address.group(1) + "/api/v1/";
                await().untilAsserted(
                                () -> assertThat(query(api, "rbmq_topics == 1")).isNotEmpty());
                await().untilAsserted(() -> {
                    List<? extends Config> rules = get(api + "rules").getConfigList("data.groups").stream()
                            .flatMap(group -> group.getConfigList("rules").stream())
                            .toList();
                    assertThat(rules).hasSize(13).allMatch(rule -> "ok".equals(rule.getString("health")));
                });
                for (String expression : expressions()) {
                    query(api, expression);
                }
            } finally {
                prometheus.destroy();
                prometheus.waitFor();
            }
        }
    }

    /** Returns the results of a query. Fails if the query is invalid. */
    private static List<? extends Config> query(String api, String expression) throws Exception {
        return get(api + "query?query=" + AdminApi.encode(expression)).getConfigList("data.result");
    }

    private static Config get(String uri) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(uri))
                .timeout(Duration.ofSeconds(60))
                .build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(uri + ": " + response.body()).isEqualTo(200);
        return json(response.body());
    }

    /** Returns the expressions of the dashboard, with values for Grafana's variables. */
    private static List<String> expressions() {
        return dashboard().getConfigList("panels").stream()
                .filter(panel -> panel.hasPath("targets"))
                .flatMap(panel -> panel.getConfigList("targets").stream())
                .map(target -> target.getString("expr")
                        .replace("$job", "rbmq")
                        .replace("$instance", ".*")
                        .replace("$__rate_interval", "1m")
                        .replace("$__range", "1h"))
                .toList();
    }

    private static Config dashboard() {
        try {
            return json(Files.readString(DASHBOARD));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Config json(String text) {
        return ConfigFactory.parseString(text, ConfigParseOptions.defaults().setSyntax(ConfigSyntax.JSON));
    }

    private static Set<String> metrics(String text) {
        return METRIC.matcher(text).results().map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Runs a command of Debian's package prometheus and returns its output. Fails if the command fails. */
    private String run(String... command) throws Exception {
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor()).as(Files.readString(output, UTF_8)).isZero();
        return Files.readString(output, UTF_8);
    }
}
