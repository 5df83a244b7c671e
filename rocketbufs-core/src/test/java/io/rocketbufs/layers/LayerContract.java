package io.rocketbufs.layers;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * The allowed dependencies between packages, and the packages that may import a library. Each module has a subclass
 * that checks the module's compiled classes. The table {@link #PACKAGES} lists the layers.
 *
 * <p>The enforcer checks the dependencies between modules (in each module's pom), and {@link CycleContract} checks
 * cycles.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // reads the classes once
@Tag("once")
public abstract class LayerContract {
    private static final String SETTINGS = "io.rocketbufs.settings";
    private static final String MEMORY = "io.rocketbufs.memory";
    private static final String ROCKETNET = "io.rocketbufs.rocketnet";
    private static final String BUFFER = "io.rocketbufs.buffer";
    private static final String LINK = "io.rocketbufs.link";
    private static final String IN = "io.rocketbufs.in";
    private static final String OUT = "io.rocketbufs.out";
    private static final String GRANT = "io.rocketbufs.grant";
    private static final String SESSION = "io.rocketbufs.session";
    private static final String WIRE = "io.rocketbufs.wire";
    private static final String METRICS = "io.rocketbufs.metrics";
    private static final String OPTIONS = "io.rocketbufs.options";
    private static final String API = "io.rocketbufs";
    private static final String TCP = "io.rocketbufs.rocketnet.tcp..";
    private static final String RDMA = "io.rocketbufs.rocketnet.rdma..";
    private static final String OFI = "io.rocketbufs.rocketnet.rdma.ofi..";
    private static final String SHM = "io.rocketbufs.rocketnet.shm..";
    private static final String JSON = "io.rocketbufs.json";
    private static final String CLI = "io.rocketbufs.cli";
    private static final String WEB = "io.rocketbufs.web";
    /**
     * Names of classes that may use Typesafe Config: classes that read it, and classes to which a program passes its
     * configuration. In the package of examples, every class is a main class.
     */
    private static final String CONFIGURED =
            ".*(Settings|Provider|\\.ClientOptions|\\.RbmqBroker)|.*\\.cli\\..*|.*\\.Main"
                    + "|io\\.rocketbufs\\.((settings|json|examples)\\..*|RocketBufs|AutomaticTransports)";

    private static final String RBMQ_PROTOCOL = "io.rocketbufs.rbmq.protocol";
    private static final String RBMQ_CLIENT = "io.rocketbufs.rbmq.client";
    private static final String RBMQ_BROKER = "io.rocketbufs.rbmq.broker";
    private static final String RBMQ_TEST = "io.rocketbufs.rbmq.test";
    private static final String RBMQ_BENCH = "io.rocketbufs.rbmq.bench";
    private static final String RBMQ_CLI = "io.rocketbufs.rbmq.cli";
    private static final String EXAMPLES = "io.rocketbufs.examples";
    private static final String LIVESTREAM = "io.rocketbufs.livestream..";
    private static final String LIVESTREAM_MEDIA = "io.rocketbufs.livestream.media..";
    private static final String ROCKETLOG_RECORD = "io.rocketbufs.rocketlog.record";
    private static final String ROCKETLOG_LOG = "io.rocketbufs.rocketlog.log";
    private static final String ROCKETLOG_PROTOCOL = "io.rocketbufs.rocketlog.protocol";
    private static final String ROCKETLOG_BROKER = "io.rocketbufs.rocketlog.broker";
    private static final String ROCKETLOG_CLIENT = "io.rocketbufs.rocketlog.client";
    private static final String ROCKETLOG_CLI = "io.rocketbufs.rocketlog.cli";

    /**
     * The exception that reports a failed connection, with an error code. All layers may use it, including
     * applications.
     */
    private static final DescribedPredicate<JavaClass> FAILURE = describe(
            "the exception that all transports throw",
            javaClass -> javaClass.getName().startsWith("io.rocketbufs.rocketnet.TransportException"));

    /** Each row lists a package, followed by the other packages of the project that it may use. */
    private static final String[][] PACKAGES = {
        {SETTINGS},
        {"io.rocketbufs.text"},
        {JSON},
        {MEMORY},
        {ROCKETNET, SETTINGS, MEMORY},
        {OPTIONS},
        {BUFFER, OPTIONS, MEMORY},
        {WIRE, OPTIONS, ROCKETNET},
        {METRICS, OPTIONS},
        {LINK, ROCKETNET},
        {IN, OPTIONS, METRICS, MEMORY, ROCKETNET, BUFFER, WIRE, LINK},
        {OUT, OPTIONS, METRICS, MEMORY, ROCKETNET, BUFFER, WIRE, LINK, IN},
        {GRANT, OPTIONS, MEMORY, ROCKETNET, WIRE, LINK},
        {SESSION, OPTIONS, METRICS, MEMORY, ROCKETNET, WIRE, LINK, IN, OUT, GRANT},
        {API, OPTIONS, METRICS, SETTINGS, MEMORY, ROCKETNET, BUFFER, LINK, IN, OUT, GRANT, SESSION},
        {TCP, SETTINGS, MEMORY, ROCKETNET},
        {RDMA, SETTINGS, MEMORY, ROCKETNET},
        {OFI, MEMORY},
        {SHM, SETTINGS, MEMORY, ROCKETNET},
        {CLI, SETTINGS, JSON, MEMORY, ROCKETNET, API},
        {WEB, SETTINGS, METRICS},
        {RBMQ_PROTOCOL, SETTINGS, API, OPTIONS},
        {RBMQ_CLIENT, SETTINGS, API, OPTIONS, RBMQ_PROTOCOL},
        {RBMQ_BROKER, SETTINGS, API, OPTIONS, METRICS, JSON, WEB, RBMQ_PROTOCOL},
        {RBMQ_TEST, API, RBMQ_CLIENT, RBMQ_BROKER},
        {RBMQ_BENCH, API, RBMQ_CLIENT},
        {RBMQ_CLI, SETTINGS, API, JSON, CLI, RBMQ_PROTOCOL, RBMQ_CLIENT, RBMQ_BROKER, RBMQ_BENCH},
        {LIVESTREAM, SETTINGS, API, OPTIONS, METRICS, JSON, CLI, WEB},
        {LIVESTREAM_MEDIA},
        {ROCKETLOG_RECORD},
        {ROCKETLOG_LOG, MEMORY, ROCKETLOG_RECORD},
        {ROCKETLOG_PROTOCOL, ROCKETLOG_RECORD},
        {
            ROCKETLOG_BROKER,
            SETTINGS,
            API,
            OPTIONS,
            METRICS,
            JSON,
            WEB,
            MEMORY,
            ROCKETLOG_RECORD,
            ROCKETLOG_LOG,
            ROCKETLOG_PROTOCOL
        },
        {ROCKETLOG_CLIENT, SETTINGS, API, OPTIONS, MEMORY, ROCKETLOG_RECORD, ROCKETLOG_PROTOCOL},
        {
            ROCKETLOG_CLI,
            SETTINGS,
            API,
            JSON,
            CLI,
            ROCKETLOG_RECORD,
            ROCKETLOG_LOG,
            ROCKETLOG_PROTOCOL,
            ROCKETLOG_BROKER,
            ROCKETLOG_CLIENT
        },
        {EXAMPLES, API, OPTIONS, SETTINGS, RBMQ_CLIENT},
    };

    /** The types of lower layers that the public API exposes unchanged, and the texts that are identical everywhere. */
    private static final Set<String> FOR_EVERYBODY = Set.of(
            "io.rocketbufs.text.ClientName",
            "io.rocketbufs.text.ExpiryWarning",
            "io.rocketbufs.text.HostPort",
            "io.rocketbufs.text.PlainText",
            "io.rocketbufs.text.Reason",
            "io.rocketbufs.rocketnet.TransportException",
            "io.rocketbufs.rocketnet.TransportException$Code",
            "io.rocketbufs.rocketnet.AtomicsExecutor",
            "io.rocketbufs.rocketnet.Capabilities",
            "io.rocketbufs.rocketnet.Capabilities$Completion",
            "io.rocketbufs.rocketnet.Capabilities$Operation",
            "io.rocketbufs.rocketnet.Right",
            "io.rocketbufs.rocketnet.TransportChoice");

    private final JavaClasses classes = compiledClasses();

    @Test
    void shouldUseOnlyTheLayersBelow() {
        for (String[] row : PACKAGES) {
            check(classes().that().resideInAPackage(row[0]).should().onlyDependOnClassesThat(ofOthersOr(row)));
        }
    }

    @Test
    void shouldImportNettyOnlyInItsBackendAndInTlsAndHttpCode() {
        confine(
                "io.netty..",
                resideInAnyPackage(
                        TCP,
                        WEB,
                        "io.rocketbufs.livestream.ingest..",
                        "io.rocketbufs.livestream.edge..",
                        "io.rocketbufs.livestream.bench.."));
    }

    @Test
    void shouldCallNativeCodeOnlyInMemoryOfiAndShm() {
        confine("com.kenai.jffi..", resideInAnyPackage(MEMORY, OFI, SHM));
        confine("jnr..", resideInAnyPackage(MEMORY, OFI, SHM));
    }

    @Test
    void shouldReadTheConfigurationOnlyInSettingsProvidersAndMains() {
        confine("com.typesafe.config..", outermost(CONFIGURED));
    }

    @Test
    void shouldImportMicrometerOnlyInMetricsClasses() {
        confine("io.micrometer..", outermost(".*Metrics"));
    }

    @Test
    void shouldLimitClientLibrariesToTheJdkAndTheFramework() {
        String[] allowed = {"java..", "io.rocketbufs..", "org.slf4j..", "com.typesafe.config.."};
        check(classes()
                .that()
                .resideInAnyPackage(RBMQ_PROTOCOL, RBMQ_CLIENT, ROCKETLOG_RECORD, ROCKETLOG_PROTOCOL, ROCKETLOG_CLIENT)
                .and(DescribedPredicate.not(outermost(".*Metrics")))
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(allowed));
        // Micrometer is optional.
        String[] allowedInMetrics =
                Stream.concat(Stream.of("io.micrometer.."), Stream.of(allowed)).toArray(String[]::new);
        check(classes()
                .that()
                .resideInAnyPackage(RBMQ_PROTOCOL, RBMQ_CLIENT, ROCKETLOG_RECORD, ROCKETLOG_PROTOCOL, ROCKETLOG_CLIENT)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(allowedInMetrics));
    }

    @Test
    void shouldUseCommandLineLibrariesOnlyInCommandLineCode() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages("io.rocketbufs..cli..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(CLI, "picocli.."));
    }

    @Test
    void shouldHaveNoMutableStatics() {
        check(fields().that().areStatic().should().beFinal());
    }

    @Test
    void shouldExitTheProcessOnlyInMains() {
        check(noClasses()
                .that(DescribedPredicate.not(outermost(".*\\.cli\\..*|.*\\.Main")))
                .should()
                .callMethod(System.class, "exit", int.class));
    }

    private static JavaClasses compiledClasses() {
        Path output = Path.of("target", "classes");
        assertThat(Files.isDirectory(output))
                .as("compiled classes in %s", output.toAbsolutePath())
                .isTrue();
        return new ClassFileImporter().importPath(output);
    }

    private void check(ArchRule rule) {
        rule.allowEmptyShould(true).check(classes);
    }

    private void confine(String library, DescribedPredicate<JavaClass> allowed) {
        check(noClasses()
                .that(DescribedPredicate.not(allowed))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library));
    }

    private static DescribedPredicate<JavaClass> ofOthersOr(String... ours) {
        return resideOutsideOfPackages("io.rocketbufs..")
                .or(resideInAnyPackage(ours))
                .or(describe("for all layers", javaClass -> FOR_EVERYBODY.contains(javaClass.getName())));
    }

    /** Matches the name of the file's class, so that a nested class follows the rule of that class. */
    private static DescribedPredicate<JavaClass> outermost(String nameRegex) {
        return describe(
                "in " + nameRegex,
                javaClass -> javaClass.getName().replaceFirst("\\$.*", "").matches(nameRegex));
    }
}
