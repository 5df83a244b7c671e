package io.rocketbufs.rocketnet.rdma.ofi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.memory.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of loading libfabric into a JVM, and of the errors if that is not possible. */
@Timeout(600)
final class OfiLoadingTest {
    @TempDir
    Path directory;

    static List<Path> homes() throws Exception {
        return ChildJvm.homes();
    }

    @Test
    void shouldNameThePackageToInstallWhenTheLibraryIsMissing() {
        assertThatThrownBy(() -> Ofi.load("libfabric-that-is-not-there.so.1"))
                .isInstanceOf(OfiUnavailableException.class)
                .hasMessageMatching(
                        "libfabric-that-is-not-there.so.1 cannot be loaded \\(libfabric-that-is-not-there.so.1:"
                                + " cannot open shared object file: No such file or directory\\):"
                                + " install libfabric 1.17 or newer, on Debian and Ubuntu: apt-get install libfabric1");
    }

    @Test
    void shouldReportThatALibraryIsNotLibfabric() {
        assertThatThrownBy(() -> Ofi.load("libc.so.6"))
                .isInstanceOf(OfiUnavailableException.class)
                .hasMessageContainingAll("libc.so.6", "is not libfabric", "fi_getinfo");
    }

    @Test
    void shouldReportThatAFileIsNotALibrary() throws Exception {
        Path file = Files.writeString(directory.resolve("libfabric.so.1"), "not an ELF file");
        assertThatThrownBy(() -> Ofi.load(file.toString()))
                .isInstanceOf(OfiUnavailableException.class)
                .hasMessageContainingAll(file + " cannot be loaded", "file too short", "install libfabric");
    }

    @Test
    void shouldLoadTheSameLibraryTwice() {
        assertThat(Ofi.load("libfabric.so.1").versionText())
                .isEqualTo(Ofi.load("libfabric.so.1").versionText())
                .matches("\\d+\\.\\d+");
    }

    @ParameterizedTest
    @MethodSource("homes")
    void shouldCatchFailedNullChecksOfCompiledCodeAfterLoading(Path home) throws Exception {
        ChildJvm child = ChildJvm.run(home, NullChecks.class, OfiLoadingTest::clear);
        assertThat(child.output()).endsWith("caught 50\n");
        assertThat(child.exitStatus()).isZero();
    }

    /**
     * Not every build of libfabric depends on the library that causes the crash. If the installed build does, the crash
     * must occur without the workaround. If the crash no longer occurs, the workaround can be removed.
     */
    @Test
    void shouldStillNeedTheWorkaroundForLibinfinipath() throws Exception {
        Path home = ChildJvm.homes().get(0);
        assumeTrue(
                Files.exists(Path.of("/usr/lib/x86_64-linux-gnu/libinfinipath.so.4")),
                "libinfinipath is not installed");
        ChildJvm child = ChildJvm.run(home, NullChecks.class, OfiLoadingTest::clear, "bare");
        assertThat(child.exitStatus()).as(child.output()).isNotZero();
    }

    @ParameterizedTest
    @MethodSource("homes")
    void shouldSetTheVariablesThatLibfabricNeeds(Path home) throws Exception {
        ChildJvm child = ChildJvm.run(home, Environment.class, OfiLoadingTest::clear);
        assertThat(child.output()).endsWith("IPATH_NO_BACKTRACE=1\nFI_MR_CACHE_MAX_COUNT=0\n");
    }

    @Test
    void shouldNotChangeVariablesThatTheUserHasSet() throws Exception {
        Map<String, String> set = Map.of("IPATH_NO_BACKTRACE", "yes", "FI_MR_CACHE_MAX_COUNT", "77");
        ChildJvm child = ChildJvm.run(ChildJvm.homes().get(0), Environment.class, all -> all.putAll(set));
        assertThat(child.output()).endsWith("IPATH_NO_BACKTRACE=yes\nFI_MR_CACHE_MAX_COUNT=77\n");
    }

    /** A thread in getenv() reads the current array of variables without a lock. */
    @Test
    void shouldNotChangeAnArrayOfVariablesThatAnotherThreadMayBeReading() throws Exception {
        ChildJvm child = ChildJvm.run(ChildJvm.homes().get(0), GrowingEnvironment.class, OfiLoadingTest::clear);
        assertThat(child.output()).endsWith("NEW_1=1\nNEW_100=100\nunchanged arrays: 100 of 100\n");
    }

    private static void clear(Map<String, String> environment) {
        environment.keySet().removeAll(List.of("IPATH_NO_BACKTRACE", "FI_MR_CACHE_MAX_COUNT"));
    }
}
