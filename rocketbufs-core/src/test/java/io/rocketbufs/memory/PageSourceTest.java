package io.rocketbufs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class PageSourceTest {
    @Test
    void shouldMapPagesWhenThisMachineCan() {
        try (MemoryPool pool = new MemoryPool(1)) {
            assertThat(pool.kind()).isEqualTo("mmap");
        }
    }

    @Test
    void shouldReturnTheSamePageLengthWithoutNativeCode() {
        assertThat(DirectAddress.pageLength()).isEqualTo(PageSources.mapped().pageLength());
    }

    @Test
    void shouldReturnTheSameAddressWithoutNativeCode() {
        PageSource mapped = PageSources.mapped();
        Pages pages = mapped.reserve().apply(mapped.pageLength());
        ByteBuffer view = pages.view(16, 16);

        assertThat(DirectAddress.of(view)).isEqualTo(pages.address() + 16);
        assertThat(DirectAddress.of(view.position(4))).isEqualTo(pages.address() + 16);
        pages.unmap();
    }

    @Test
    void shouldSaturateWhenRoundingUpOverflows() {
        PageSource source = new PageSource("", 65536, length -> null);
        assertThat(source.roundUp(1)).isEqualTo(65536);
        assertThat(source.roundUp(65536)).isEqualTo(65536);
        assertThat(source.roundUp(65537)).isEqualTo(131072);
        assertThat(source.roundUp(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE - 65535);
        assertThat(source.roundUp(Long.MAX_VALUE - 65535)).isEqualTo(Long.MAX_VALUE - 65535);
        assertThat(source.roundUp(Long.MAX_VALUE - 65536)).isEqualTo(Long.MAX_VALUE - 65535);
    }

    @Test
    @Timeout(600)
    void shouldFallBackAndReportTheReasonWhenJffiIsMissing() throws Exception {
        ChildJvm child = ChildJvm.run(Child.class, entry -> !entry.contains("jffi"));

        assertThat(child.output()).contains("kind: direct (java.lang.NoClassDefFoundError: com/kenai/jffi/");
        assertThat(child.output()).contains("value: 42");
        assertThat(child.exitStatus()).isZero();
    }

    @Test
    @Timeout(600)
    void shouldFallBackAndReportTheReasonWhenJffiHasNoNativePart() throws Exception {
        ChildJvm child = ChildJvm.run(
                Child.class, entry -> !(entry.contains("jffi") && entry.contains("native")), "-Djava.library.path=");

        assertThat(child.output()).contains("kind: direct (java.lang.UnsatisfiedLinkError: ");
        assertThat(child.output()).contains("value: 42");
        assertThat(child.exitStatus()).isZero();
    }

    /** A program that uses a pool with the memory source available to its process. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) {
            try (MemoryPool pool = new MemoryPool(1 << 20)) {
                System.out.println("kind: " + pool.kind());
                Region region = pool.allocate(1);
                region.window(8, 8).putLong(42);
                System.out.println("value: " + region.window(0, 16).getLong(8));
                System.out.println("aligned: " + (region.address() % region.length() == 0));
                region.release();
            }
        }
    }
}
