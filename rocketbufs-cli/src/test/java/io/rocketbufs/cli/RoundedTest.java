package io.rocketbufs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RoundedTest {
    @ParameterizedTest
    @CsvSource({"5.34,5.3 us", "65.3,65 us", "128,130 us", "999,'1,000 us'", "1530,1.5 ms", "15300,15 ms", "2.5E6,2.5 s"
    })
    void shouldShowATimeWithTwoDigits(double micros, String shown) {
        assertThat(Rounded.micros(micros)).isEqualTo(shown);
    }

    @ParameterizedTest
    @CsvSource({"0,0.0", "9.96,10", "1234567,'1,200,000'"})
    void shouldShowANumberWithTwoDigits(double number, String shown) {
        assertThat(Rounded.number(number)).isEqualTo(shown);
    }
}
