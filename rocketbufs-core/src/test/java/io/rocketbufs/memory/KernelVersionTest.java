package io.rocketbufs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KernelVersionTest {
    @ParameterizedTest
    @CsvSource({
        "6.1.0-25-amd64, true",
        "5.15.153.1-microsoft-standard-WSL2, true",
        "6.2.0, false",
        "6.12, false",
        "6.18.5+, false",
        "10.0, false",
        "unknown, false"
    })
    void shouldCompareMajorAndMinorVersionAsNumbers(String version, boolean isBefore) {
        assertThat(KernelVersion.isBefore(version, 6, 2)).isEqualTo(isBefore);
    }
}
