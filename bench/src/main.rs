//! `cargo run --release -p bench -- all`: how long the released program takes, and how much it stores, beside shadow git
//! doing the same in the same run. It starts programs and measures them from outside; it links nothing of the product.
#![forbid(unsafe_code)]

mod measures;
mod options;
mod place;
mod row;
mod shadow_git;
mod table;
mod takeback;
mod text;
mod tree;

use std::process::ExitCode;

use options::Options;
use row::Row;

/// Why something could not be measured.
pub(crate) type Fault = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(usage) => {
            eprintln!("{usage}");
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("bench: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Fault> {
    let program = takeback::build()?;
    let mut rows: Vec<Row> = Vec::new();
    for measure in measures::ALL.iter().filter(|measure| options.wants(measure.name)) {
        eprintln!("Measuring: {}", measure.summary);
        rows.extend((measure.run)(&program, options)?);
    }
    print!("{}", table::human(&rows, options));
    std::fs::write(&options.json, table::json(&rows, options)).map_err(|error| at(&options.json, &error))?;
    eprintln!("Written: {}", options.json.display());
    Ok(())
}

/// A fault that says of which file.
pub(crate) fn at(path: &std::path::Path, error: &std::io::Error) -> Fault {
    format!("{}: {error}", path.display()).into()
}
